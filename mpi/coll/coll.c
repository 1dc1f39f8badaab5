/* SPDX-License-Identifier: MIT */
/* Collectives that move data by an algorithm of the catalogue. */
#include "mpi/coll/coll.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/comm/inter.h"
#include <string.h>

/* ------------------------------------------------------------------ arguments */

/* Note if each displacement counts the bytes, not the elements, before its block: a later crash may come from that. */
static void
suspect_bytes(struct mpi *mpi, const struct blocks_of *blocks, int size)
{
    long long before = 0, extent = (long long)type_extent(blocks->type);
    const struct coll_side *side = blocks->side;

    for (int i = 0; i < size && side->displs; i++) {
        if (side->displs[i] != before * extent)
            return;
        before += side->counts[i];
    }
    if (size > 1 && extent > 1 && side->displs && side->counts[0] > 0)
        peal_suspect_bytes(mpi->me, mpi->call, side->displs[1], side->counts[0]);
}

/* Find the place and length of each block. */
static int
coll_measure_blocks(struct mpi *mpi, struct comm *comm, const char *what, struct blocks_of *blocks)
{
    const struct coll_side *side = blocks->side;
    const struct type *type = blocks->type;
    long long next = 0;

    blocks->lengths = mpi_scratch(mpi, (size_t)comm->size * sizeof *blocks->lengths);
    for (int i = 0; i < comm->size; i++) {
        int count = side->counts[i];

        if (count < 0)
            advise_count(mpi, count);
        if (count < 0)
            return mpi_error(mpi, comm, MPI_ERR_COUNT, "%s[%d] is %d: expected 0 or more", what, i, count);
        blocks->in_one &= !side->displs || count == 0 || side->displs[i] == next;
        next += count;
        blocks->lengths[i] = (size_t)count * type->size;
        blocks->bytes += blocks->lengths[i];
    }
    suspect_bytes(mpi, blocks, comm->size);
    if (!blocks->buffer && blocks->bytes > 0 && type->number) {
        advise_null_buffer(mpi);
        return mpi_error(mpi, comm, MPI_ERR_BUFFER, "the buffer of %s is NULL, with %zu bytes", what, blocks->bytes);
    }
    return MPI_SUCCESS;
}

int
blocks_check(struct mpi *mpi, struct comm *comm, const struct coll_side *side, const char *what,
             struct blocks_of *blocks)
{
    struct typed_data one;

    TRY(typed_data_check(mpi, comm, side->counts ? NULL : side->at, side->counts ? 0 : side->count, side->type, what,
                         &one));
    *blocks = (struct blocks_of){.side = side,
                                 .buffer = side->at,
                                 .type = one.type,
                                 .length = one.bytes,
                                 .bytes = one.bytes * (size_t)comm->size,
                                 .in_one = one.type->dense};
    return side->counts ? coll_measure_blocks(mpi, comm, what, blocks) : MPI_SUCCESS;
}

void
blocks_fini(struct mpi *mpi, struct blocks_of *blocks)
{
    mpi_free(mpi, blocks->lengths);
}

/* The blocks of one side of a call. */
static int
all_check(struct mpi *mpi, struct comm *comm, const struct coll_args *a, const struct coll_side *side,
          struct blocks_of *blocks)
{
    const char *what = side == &a->send ? "sendcounts" : "recvcounts";

    if (a->unequal && (!side->counts || !side->displs))
        TRY(mpi_error(mpi, comm, MPI_ERR_ARG, "the list of %s or of their displacements is NULL", what));
    return blocks_check(mpi, comm, side, a->unequal ? what : side == &a->send ? "sendcount" : "recvcount", blocks);
}

static size_t
length_of(const struct blocks_of *blocks, int rank)
{
    return blocks->lengths ? blocks->lengths[rank] : blocks->length;
}

int
rooted_check(struct mpi *mpi, struct comm *c, const struct coll_args *a, bool scatters, struct gathered *call)
{
    const struct coll_side *own = scatters ? &a->receive : &a->send;

    TRY(root_check(mpi, c, a->root));
    *call = (struct gathered){.root = c->rank == a->root};
    call->in_place = call->root && own->at == MPI_IN_PLACE;
    if (call->root && scatters)
        TRY(all_check(mpi, c, a, &a->send, &call->all));
    if (!call->in_place)
        TRY(side_check(mpi, c, own, scatters ? "recvcount" : "sendcount", &call->own));
    if (call->root && !scatters)
        TRY(all_check(mpi, c, a, &a->receive, &call->all));
    if (!call->root || call->in_place)
        return MPI_SUCCESS;
    const struct typed_data block = block_data(&call->all, a->root);

    return scatters ? same_block(mpi, c, block, call->own) : same_block(mpi, c, call->own, block);
}

struct typed_data
block_data(const struct blocks_of *blocks, int rank)
{
    const struct coll_side *side = blocks->side;
    ptrdiff_t first = side->displs ? side->displs[rank] : side->counts ? 0 : (ptrdiff_t)rank * side->count;
    int count = side_count(side, rank);

    for (int i = 0; i < rank && side->counts && !side->displs; i++)
        first += side->counts[i];
    return (struct typed_data){blocks->buffer + first * type_extent(blocks->type), (size_t)count, blocks->type,
                               (size_t)count * blocks->type->size};
}

char *
blocks_packed(struct mpi *mpi, const struct blocks_of *blocks, int size, bool filled, char **copy)
{
    *copy = NULL;
    if (blocks->in_one)
        return blocks->buffer + blocks->type->true_lb;
    char *at = *copy = mpi_scratch(mpi, blocks->bytes);

    for (int i = 0; i < size && filled; i++) {
        const struct typed_data one = block_data(blocks, i);

        type_pack(one.type, one.buffer, one.count, at, one.bytes);
        at += one.bytes;
    }
    return *copy;
}

/* Unpack the copy that blocks_packed made into the blocks' places. */
static void
blocks_unpack(struct mpi *mpi, const struct blocks_of *blocks, int size, char *copy)
{
    const char *at = copy;

    for (int i = 0; i < size && copy; i++) {
        const struct typed_data one = block_data(blocks, i);

        type_unpack(one.type, one.buffer, one.count, at, one.bytes);
        at += one.bytes;
    }
    mpi_free(mpi, copy);
}

int
buffers_refuse(struct mpi *mpi, struct comm *comm)
{
    advise_in_place(mpi);
    return mpi_error(mpi, comm, MPI_ERR_BUFFER, "sendbuf and recvbuf overlap");
}

/* ------------------------------------------------------------------ the calls */

int
coll_barrier(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    (void)a;
    if (c->inter)
        return inter_barrier(mpi, c);
    peal_barrier_at(c->view, coll_algorithm(mpi, c, PEAL_BARRIER, 0, NULL, 0, false), mpi->file, mpi->line);
    return MPI_SUCCESS;
}

int
coll_broadcast(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct typed_data data;
    void *copy;

    if (c->inter)
        return inter_broadcast(mpi, c, a);
    TRY(root_check(mpi, c, a->root));
    TRY(side_check(mpi, c, &a->receive, "count", &data));
    void *bytes = c->rank == a->root ? data_packed(mpi, &data, &copy) : data_place(mpi, &data, &copy);

    peal_broadcast_at(c->view, coll_algorithm(mpi, c, PEAL_BROADCAST, data.bytes, NULL, a->root, false), bytes,
                      data.bytes, a->root, mpi->file, mpi->line);
    if (c->rank == a->root)
        mpi_free(mpi, copy);
    else
        data_unpack(mpi, &data, copy, data.bytes);
    return MPI_SUCCESS;
}

int
coll_gather(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct gathered call;
    void *own_copy = NULL;
    char *all_copy = NULL, *to = NULL;

    if (c->inter)
        return inter_gather(mpi, c, a);
    TRY(rooted_check(mpi, c, a, false, &call));
    size_t m = call.root ? call.all.length : call.own.bytes;

    if (call.root)
        to = blocks_packed(mpi, &call.all, c->size, call.in_place, &all_copy);
    const void *from = call.in_place ? to + (size_t)a->root * m : data_packed(mpi, &call.own, &own_copy);

    if (call.root)
        TRY(buffers_check(mpi, c, from, m, to, call.all.bytes, from == to + (size_t)a->root * m));
    peal_gather_at(c->view, coll_algorithm(mpi, c, PEAL_GATHER, m, NULL, a->root, false), from, m, a->root, to,
                   mpi->file, mpi->line);
    mpi_free(mpi, own_copy);
    if (call.root)
        blocks_unpack(mpi, &call.all, c->size, all_copy);
    return MPI_SUCCESS;
}

int
coll_scatter(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct gathered call;
    char *all_copy = NULL, *from = NULL;
    void *own_copy = NULL;

    if (c->inter)
        return inter_scatter(mpi, c, a);
    TRY(rooted_check(mpi, c, a, true, &call));
    size_t m = call.root ? call.all.length : call.own.bytes;

    if (call.root)
        from = blocks_packed(mpi, &call.all, c->size, true, &all_copy);
    void *to = call.in_place ? from + (size_t)a->root * m : data_place(mpi, &call.own, &own_copy);

    if (call.root)
        TRY(buffers_check(mpi, c, from, call.all.bytes, to, m, to == from + (size_t)a->root * m));
    peal_scatter_at(c->view, coll_algorithm(mpi, c, PEAL_SCATTER, m, NULL, a->root, false), from, m, a->root, to,
                    mpi->file, mpi->line);
    mpi_free(mpi, all_copy);
    data_unpack(mpi, &call.own, own_copy, call.own.bytes);
    return MPI_SUCCESS;
}

int
coll_allgather(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    bool in_place = a->send.at == MPI_IN_PLACE;
    struct typed_data in = {.bytes = 0};
    struct blocks_of out;
    void *in_copy = NULL;
    char *out_copy;

    if (c->inter)
        return inter_allgather(mpi, c, a);
    TRY(all_check(mpi, c, a, &a->receive, &out));
    if (!in_place) {
        TRY(side_check(mpi, c, &a->send, "sendcount", &in));
        TRY(same_block(mpi, c, in, block_data(&out, c->rank)));
    }
    char *to = blocks_packed(mpi, &out, c->size, in_place, &out_copy), *own = to;

    for (int i = 0; i < c->rank; i++)
        own += length_of(&out, i);
    const char *algorithm = coll_algorithm(mpi, c, PEAL_ALLGATHER, out.length, NULL, 0, a->unequal);
    const void *from = in_place ? own : data_packed(mpi, &in, &in_copy);

    TRY(buffers_check(mpi, c, from, in.bytes, to, out.bytes, from == own));
    if (a->unequal)
        peal_allgatherv_at(c->view, algorithm, from, out.lengths, to, mpi->file, mpi->line);
    else
        peal_allgather_at(c->view, algorithm, from, out.length, to, mpi->file, mpi->line);
    mpi_free(mpi, in_copy);
    blocks_unpack(mpi, &out, c->size, out_copy);
    blocks_fini(mpi, &out);
    return MPI_SUCCESS;
}

int
coll_alltoall(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    bool in_place = a->send.at == MPI_IN_PLACE;
    struct blocks_of in = {.bytes = 0}, out;
    char *in_copy = NULL, *out_copy, *from;

    if (c->inter)
        return inter_alltoall(mpi, c, a);
    TRY(all_check(mpi, c, a, &a->receive, &out));
    if (!in_place) {
        TRY(all_check(mpi, c, a, &a->send, &in));
        TRY(same_block(mpi, c, block_data(&in, c->rank), block_data(&out, c->rank)));
    }
    char *to = blocks_packed(mpi, &out, c->size, in_place, &out_copy);

    if (in_place)
        from = in_copy = memcpy(mpi_scratch(mpi, out.bytes), to, out.bytes);
    else
        from = blocks_packed(mpi, &in, c->size, true, &in_copy);
    TRY(buffers_check(mpi, c, from, in.bytes, to, out.bytes, in_place));
    const char *algorithm = coll_algorithm(mpi, c, PEAL_ALLTOALL, out.length, NULL, 0, a->unequal);

    if (a->unequal)
        peal_alltoallv_at(c->view, algorithm, from, in_place ? out.lengths : in.lengths, to, out.lengths, mpi->file,
                          mpi->line);
    else
        peal_alltoall_at(c->view, algorithm, from, out.length, to, mpi->file, mpi->line);
    mpi_free(mpi, in_copy);
    blocks_unpack(mpi, &out, c->size, out_copy);
    blocks_fini(mpi, &in);
    blocks_fini(mpi, &out);
    return MPI_SUCCESS;
}
