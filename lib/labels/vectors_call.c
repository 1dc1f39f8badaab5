/* SPDX-License-Identifier: MIT */
/* Calling a collective on the labels of a case: by an algorithm of the catalogue, or by a function of a user's. */
#include "lib/labels/vectors.h"

/* The P lengths of the call, of an all-to-all those it receives behind them; NULL where blocks are equal. */
static size_t *
lengths_for(const struct vectors *data, struct peal_node *me)
{
    const struct peal_check_case *c = data->where;
    size_t P = (size_t)c->nodes, *lengths = c->sizes ? peal_alloc(me, 2 * P) : NULL;

    for (int i = 0; lengths && i < c->nodes; i++) {
        lengths[i] = data->collective == PEAL_ALLTOALL ? vectors_pair(data, peal_rank(me), i) : vectors_block(data, i);
        lengths[P + (size_t)i] = vectors_pair(data, i, peal_rank(me));
    }
    return lengths;
}

void
vectors_call(const struct vectors *data, struct peal_node *me, const char *algorithm)
{
    const struct peal_check_case *c = data->where;
    const void *in = data->in[peal_rank(me)].words;
    void *out = data->out[peal_rank(me)].words;
    size_t P = (size_t)c->nodes, *lengths = lengths_for(data, me);

    switch (data->collective) {
    case PEAL_SCATTER:
        if (lengths)
            peal_scatterv_by(me, algorithm, in, lengths, c->root, out);
        else
            peal_scatter_by(me, algorithm, in, c->words, c->root, out);
        break;
    case PEAL_GATHER:
        if (lengths)
            peal_gatherv_by(me, algorithm, in, lengths, c->root, out);
        else
            peal_gather_by(me, algorithm, in, c->words, c->root, out);
        break;
    case PEAL_BROADCAST:
        peal_broadcast_by(me, algorithm, out, c->words, c->root);
        break;
    case PEAL_REDUCE:
        peal_reduce_by(me, algorithm, data->op, out, c->words, c->root);
        break;
    case PEAL_ALLGATHER:
        if (lengths)
            peal_allgatherv_by(me, algorithm, in, lengths, out);
        else
            peal_allgather_by(me, algorithm, in, c->words, out);
        break;
    case PEAL_REDUCE_SCATTER:
        if (lengths)
            peal_reduce_scatterv_by(me, algorithm, data->op, in, lengths, out);
        else
            peal_reduce_scatter_by(me, algorithm, data->op, in, c->words, out);
        break;
    case PEAL_ALLREDUCE:
        peal_allreduce_by(me, algorithm, data->op, out, c->words);
        break;
    case PEAL_ALLTOALL:
        if (lengths)
            peal_alltoallv_by(me, algorithm, in, lengths, out, lengths + P);
        else
            peal_alltoall_by(me, algorithm, in, c->words, out);
        break;
    case PEAL_SCAN:
        peal_scan_by(me, algorithm, data->op, out, c->words);
        break;
    case PEAL_EXSCAN:
        peal_exscan_by(me, algorithm, data->op, out, c->words);
        break;
    case PEAL_SHIFT:
        peal_shift_by(me, algorithm, in, c->words, c->by, out);
        break;
    case PEAL_MULTICAST:
        peal_multicast_by(me, algorithm, out, c->words, c->root, c->to, c->to_count);
        break;
    case PEAL_BARRIER:
        peal_barrier_by(me, algorithm);
        break;
    case PEAL_COLLECTIVES:
        break;
    }
}

void
vectors_call_function(const struct vectors *data, struct peal_node *me, const union peal_check_function *f)
{
    const struct peal_check_case *c = data->where;
    const void *in = data->in[peal_rank(me)].words;
    void *out = data->out[peal_rank(me)].words;
    size_t P = (size_t)c->nodes, *lengths = lengths_for(data, me);

    switch (data->collective) {
    case PEAL_SCATTER:
        if (lengths)
            f->scatterv(me, in, lengths, c->root, out);
        else
            f->scatter(me, in, c->words, c->root, out);
        break;
    case PEAL_GATHER:
        if (lengths)
            f->gatherv(me, in, lengths, c->root, out);
        else
            f->gather(me, in, c->words, c->root, out);
        break;
    case PEAL_BROADCAST:
        f->broadcast(me, out, c->words, c->root);
        break;
    case PEAL_REDUCE:
        f->reduce(me, data->op, out, c->words, c->root);
        break;
    case PEAL_ALLGATHER:
        if (lengths)
            f->allgatherv(me, in, lengths, out);
        else
            f->allgather(me, in, c->words, out);
        break;
    case PEAL_REDUCE_SCATTER:
        if (lengths)
            f->reduce_scatterv(me, data->op, in, lengths, out);
        else
            f->reduce_scatter(me, data->op, in, c->words, out);
        break;
    case PEAL_ALLREDUCE:
        f->allreduce(me, data->op, out, c->words);
        break;
    case PEAL_ALLTOALL:
        if (lengths)
            f->alltoallv(me, in, lengths, out, lengths + P);
        else
            f->alltoall(me, in, c->words, out);
        break;
    case PEAL_SCAN:
        f->scan(me, data->op, out, c->words);
        break;
    case PEAL_EXSCAN:
        f->exscan(me, data->op, out, c->words);
        break;
    case PEAL_SHIFT:
        f->shift(me, in, c->words, c->by, out);
        break;
    case PEAL_MULTICAST:
        f->multicast(me, out, c->words, c->root, c->to, c->to_count);
        break;
    case PEAL_BARRIER:
        f->barrier(me);
        break;
    case PEAL_COLLECTIVES:
        break;
    }
}
