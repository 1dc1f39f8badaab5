/* SPDX-License-Identifier: MIT */
/* Reductions.  They work on elements: a node's data is packed unless it is contiguous, and no algorithm cuts within an
 * element. */
#include "mpi/coll/coll.h"
#include "mpi/coll/op.h"
#include "mpi/comm/inter.h"
#include <string.h>

/* Check the arguments that all reductions have. */
static int
reduce_check(struct mpi *mpi, struct comm *comm, const void *buffer, int count, MPI_Datatype type, MPI_Op op,
             struct typed_data *data, struct reduction *reduction)
{
    int error = typed_data_check(mpi, comm, buffer, count, type, "count", data);

    return error ? error : reduction_find(mpi, comm, op, data->type, reduction);
}

/* Copy the data of `send`, packed, to the place of `receive`, to be combined there. */
static void *
reduce_pack_operand(struct mpi *mpi, const struct typed_data *send, const struct typed_data *receive, void **copy)
{
    char *at = data_place(mpi, receive, copy);

    type_pack(send->type, send->buffer, send->count, at, send->bytes);
    return at;
}

int
coll_reduce(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct typed_data in, out;
    struct reduction reduction;
    void *copy = NULL;

    if (c->inter)
        return inter_reduce(mpi, c, a);
    bool takes = c->rank == a->root, in_place = takes && a->send.at == MPI_IN_PLACE;

    TRY(root_check(mpi, c, a->root));
    TRY(reduce_check(mpi, c, in_place ? a->receive.at : a->send.at, a->receive.count, a->receive.type, a->op, &in,
                     &reduction));
    if (takes)
        TRY(side_check(mpi, c, &a->receive, "count", &out));
    void *vector = !takes     ? data_packed(mpi, &in, &copy)
                   : in_place ? data_packed(mpi, &out, &copy)
                              : reduce_pack_operand(mpi, &in, &out, &copy);

    struct peal_node *view = comm_elements(mpi, c, reduction.op.word_bytes);
    size_t n = in.bytes / reduction.op.word_bytes;

    peal_reduce_at(view, coll_algorithm(mpi, c, PEAL_REDUCE, n, &reduction.op, a->root, false), &reduction.op, vector,
                   n, a->root, mpi->file, mpi->line);
    if (takes)
        data_unpack(mpi, &out, copy, out.bytes);
    else
        mpi_free(mpi, copy);
    return MPI_SUCCESS;
}

/* The reductions whose result every node has, in its own buffer. */
int
coll_reduce_everywhere(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    bool in_place = a->send.at == MPI_IN_PLACE;
    struct typed_data in, out;
    struct reduction reduction;
    void *copy = NULL;

    if (c->inter && a->which != PEAL_ALLREDUCE)
        return mpi_error(mpi, c, MPI_ERR_COMM, "comm is an intercommunicator, which is not allowed here");
    if (c->inter)
        return inter_allreduce(mpi, c, a);
    TRY(reduce_check(mpi, c, in_place ? a->receive.at : a->send.at, a->receive.count, a->receive.type, a->op, &in,
                     &reduction));
    if (!in_place)
        TRY(side_check(mpi, c, &a->receive, "count", &out));
    if (in_place)
        out = in;
    bool keeps = a->which == PEAL_EXSCAN && c->rank == 0; /* its buffer stays unchanged */
    void *vector;

    if (in_place)
        vector = data_packed(mpi, &out, &copy);
    else if (keeps)
        type_pack(in.type, in.buffer, in.count, vector = copy = mpi_scratch(mpi, in.bytes), in.bytes);
    else
        vector = reduce_pack_operand(mpi, &in, &out, &copy);
    struct peal_node *view = comm_elements(mpi, c, reduction.op.word_bytes);
    size_t n = in.bytes / reduction.op.word_bytes;
    const char *algorithm = coll_algorithm(mpi, c, a->which, n, &reduction.op, 0, false);

    if (a->which == PEAL_ALLREDUCE)
        peal_allreduce_at(view, algorithm, &reduction.op, vector, n, mpi->file, mpi->line);
    else if (a->which == PEAL_SCAN)
        peal_scan_at(view, algorithm, &reduction.op, vector, n, mpi->file, mpi->line);
    else
        peal_exscan_at(view, algorithm, &reduction.op, vector, n, mpi->file, mpi->line);
    if (keeps)
        mpi_free(mpi, copy);
    else
        data_unpack(mpi, &out, copy, out.bytes);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ a block per node */

/* Reduce P blocks, of different lengths or all of `count`. */
int
coll_reduce_blocks(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    bool in_place = a->send.at == MPI_IN_PLACE;
    struct blocks_of in;
    struct typed_data out;
    struct reduction reduction;
    void *out_copy;
    char *in_copy;

    if (a->unequal)
        NEED(a->receive.counts);
    if (c->inter)
        return inter_reduce_scatter(mpi, c, a);
    struct coll_side all = a->receive;

    all.at = in_place ? all.at : a->send.at;
    TRY(blocks_check(mpi, c, &all, "recvcounts", &in));
    TRY(typed_data_check(mpi, c, a->receive.at, side_count(&a->receive, c->rank), a->receive.type, "recvcount", &out));
    TRY(reduction_find(mpi, c, a->op, in.type, &reduction));
    char *from = blocks_packed(mpi, &in, c->size, true, &in_copy);

    if (in_place && !in_copy) /* the result takes the place of the first block */
        from = in_copy = memcpy(mpi_scratch(mpi, in.bytes), from, in.bytes);
    void *to = data_place(mpi, &out, &out_copy);

    TRY(buffers_check(mpi, c, from, in.bytes, to, out.bytes, false));
    struct peal_node *view = comm_elements(mpi, c, reduction.op.word_bytes);
    size_t n = in.length / reduction.op.word_bytes;
    const char *algorithm = coll_algorithm(mpi, c, PEAL_REDUCE_SCATTER, n, &reduction.op, 0, a->receive.counts != NULL);

    for (int i = 0; a->receive.counts && i < c->size; i++)
        in.lengths[i] /= reduction.op.word_bytes;
    if (a->receive.counts)
        peal_reduce_scatterv_at(view, algorithm, &reduction.op, from, in.lengths, to, mpi->file, mpi->line);
    else
        peal_reduce_scatter_at(view, algorithm, &reduction.op, from, n, to, mpi->file, mpi->line);
    mpi_free(mpi, in_copy);
    data_unpack(mpi, &out, out_copy, out.bytes);
    blocks_fini(mpi, &in);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ without messages */

MPI_FUNCTION(int, Reduce_local, const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
    struct mpi *mpi = ENTER(Reduce_local);
    struct typed_data in, out;
    struct reduction reduction;
    void *in_copy, *out_copy;
    TRY(reduce_check(mpi, NULL, inbuf, count, datatype, op, &in, &reduction));
    TRY(typed_data_check(mpi, NULL, inoutbuf, count, datatype, "count", &out));
    const void *left = data_packed(mpi, &in, &in_copy);
    void *right = data_packed(mpi, &out, &out_copy);

    peal_compute_at(mpi->me, 0, mpi->file, mpi->line); /* faults of the operands are found at this call */
    peal_combine(&reduction.op, left, right, right, in.bytes / reduction.op.word_bytes);
    mpi_free(mpi, in_copy);
    data_unpack(mpi, &out, out_copy, out.bytes);
    return MPI_SUCCESS;
}
