/* SPDX-License-Identifier: MIT */
/* Collectives that move data, with blocks of one length. */
#include "lib/mpi/coll.h"
#include "lib/mpi/inter.h"
#include <string.h>

/* ------------------------------------------------------------------ arguments */

int
root_check(struct mpi *mpi, struct comm *comm, int root)
{
    if ((root >= 0 && root < comm_peers(comm)) || (comm->inter && (root == MPI_ROOT || root == MPI_PROC_NULL)))
        return MPI_SUCCESS;
    return mpi_error(mpi, comm, MPI_ERR_ROOT, "root %d is out of range: ranks are 0 to %d%s", root,
                     comm_peers(comm) - 1, comm->inter ? ", MPI_ROOT or MPI_PROC_NULL" : "");
}

int
same_bytes(struct mpi *mpi, struct comm *comm, size_t sent, size_t received)
{
    if (sent == received)
        return MPI_SUCCESS;
    return mpi_error(mpi, comm, sent > received ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                     "rank %d sends itself %zu bytes and receives %zu", comm->rank, sent, received);
}

/* Find out where the blocks lie, and how long each is. */
static int
measure(struct mpi *mpi, struct comm *comm, const char *what, struct blocks_of *blocks)
{
    const struct type *type = blocks->type;
    long long next = 0;

    blocks->in_one = type->dense;
    blocks->lengths = mpi_scratch(mpi, (size_t)comm->size * sizeof *blocks->lengths);
    for (int i = 0; i < comm->size; i++) {
        int count = blocks->counts[i];

        if (count < 0)
            return mpi_error(mpi, comm, MPI_ERR_COUNT, "%s[%d] is %d: expected 0 or more", what, i, count);
        blocks->in_one &= !blocks->displs || count == 0 || blocks->displs[i] == next;
        next += count;
        blocks->lengths[i] = (size_t)count * type->size;
        blocks->bytes += blocks->lengths[i];
    }
    return MPI_SUCCESS;
}

int
blocks_check(struct mpi *mpi, struct comm *comm, const void *buffer, const int *counts, int count, const int *displs,
             MPI_Datatype handle, const char *what, struct blocks_of *blocks)
{
    struct data one;
    int error = data_check(mpi, comm, counts ? NULL : buffer, counts ? 0 : count, handle, what, &one);

    if (error)
        return error;
    *blocks = (struct blocks_of){.buffer = (char *)(uintptr_t)buffer,
                                 .type = one.type,
                                 .counts = counts,
                                 .count = count,
                                 .displs = displs,
                                 .length = one.bytes,
                                 .bytes = one.bytes * (size_t)comm->size};
    if (counts)
        return measure(mpi, comm, what, blocks);
    blocks->in_one = one.type->dense;
    return MPI_SUCCESS;
}

void
blocks_fini(struct mpi *mpi, struct blocks_of *blocks)
{
    mpi_free(mpi, blocks->lengths);
}

struct data
block_data(const struct blocks_of *blocks, int rank)
{
    ptrdiff_t first = blocks->displs ? blocks->displs[rank] : (ptrdiff_t)rank * blocks->count;
    int count = blocks->counts ? blocks->counts[rank] : blocks->count;

    if (!blocks->displs && blocks->counts) {
        first = 0;
        for (int i = 0; i < rank; i++)
            first += blocks->counts[i];
    }
    return (struct data){blocks->buffer + first * type_extent(blocks->type), (size_t)count, blocks->type,
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
        const struct data one = block_data(blocks, i);

        type_pack(one.type, one.buffer, one.count, at, one.bytes);
        at += one.bytes;
    }
    return *copy;
}

void
blocks_unpack(struct mpi *mpi, const struct blocks_of *blocks, int size, char *copy)
{
    const char *at = copy;

    for (int i = 0; i < size && copy; i++) {
        const struct data one = block_data(blocks, i);

        type_unpack(one.type, one.buffer, one.count, at, one.bytes);
        at += one.bytes;
    }
    mpi_free(mpi, copy);
}

/* ------------------------------------------------------------------ the calls */

int
coll_barrier(struct mpi *mpi, struct comm *c)
{
    if (c->inter)
        return inter_barrier(mpi, c);
    peal_barrier_at(c->view, coll_algorithm(mpi, c, PEAL_BARRIER, 0, NULL, 0, false), mpi->file, mpi->line);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Barrier, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Barrier);
    FIND_COMM(c, comm);

    return coll_barrier(mpi, c);
}

int
coll_broadcast(struct mpi *mpi, struct comm *c, void *buffer, int count, MPI_Datatype datatype, int root)
{
    struct data data;
    void *copy;

    if (c->inter)
        return inter_broadcast(mpi, c, buffer, count, datatype, root);
    int error = root_check(mpi, c, root);

    if (!error)
        error = data_check(mpi, c, buffer, count, datatype, "count", &data);
    if (error)
        return error;
    void *bytes = c->rank == root ? data_packed(mpi, &data, &copy) : data_place(mpi, &data, &copy);

    peal_broadcast_at(c->view, coll_algorithm(mpi, c, PEAL_BROADCAST, data.bytes, NULL, root, false), bytes, data.bytes,
                      root, mpi->file, mpi->line);
    if (c->rank == root)
        mpi_free(mpi, copy);
    else
        data_unpack(mpi, &data, copy, data.bytes);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Bcast, void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Bcast);
    FIND_COMM(c, comm);

    return coll_broadcast(mpi, c, buffer, count, datatype, root);
}

int
coll_gather(struct mpi *mpi, struct comm *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
            int recvcount, MPI_Datatype recvtype, int root)
{
    bool takes = c->rank == root, in_place = takes && sendbuf == MPI_IN_PLACE;
    struct data in = {.bytes = 0};
    struct blocks_of out = {.bytes = 0};
    void *in_copy = NULL;
    char *out_copy = NULL, *to = NULL;

    if (c->inter)
        return inter_gather(mpi, c,
                            &(struct inter_move){.send = sendbuf,
                                                 .send_count = sendcount,
                                                 .send_type = sendtype,
                                                 .receive = recvbuf,
                                                 .receive_count = recvcount,
                                                 .receive_type = recvtype,
                                                 .root = root});
    int error = root_check(mpi, c, root);

    if (!error && !in_place)
        error = data_check(mpi, c, sendbuf, sendcount, sendtype, "sendcount", &in);
    if (!error && takes)
        error = blocks_check(mpi, c, recvbuf, NULL, recvcount, NULL, recvtype, "recvcount", &out);
    if (!error && takes && !in_place)
        error = same_bytes(mpi, c, in.bytes, out.length);
    if (error)
        return error;
    size_t m = takes ? out.length : in.bytes;

    if (takes)
        to = blocks_packed(mpi, &out, c->size, in_place, &out_copy);
    const void *from = in_place ? to + (size_t)root * m : data_packed(mpi, &in, &in_copy);

    peal_gather_at(c->view, coll_algorithm(mpi, c, PEAL_GATHER, m, NULL, root, false), from, m, root, to, mpi->file,
                   mpi->line);
    mpi_free(mpi, in_copy);
    if (takes)
        blocks_unpack(mpi, &out, c->size, out_copy);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Gather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Gather);
    FIND_COMM(c, comm);

    return coll_gather(mpi, c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}

int
coll_scatter(struct mpi *mpi, struct comm *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root)
{
    bool gives = c->rank == root, in_place = gives && recvbuf == MPI_IN_PLACE;
    struct blocks_of in = {.bytes = 0};
    struct data out = {.bytes = 0};
    char *in_copy = NULL, *from = NULL;
    void *out_copy = NULL;

    if (c->inter)
        return inter_scatter(mpi, c,
                             &(struct inter_move){.send = sendbuf,
                                                  .send_count = sendcount,
                                                  .send_type = sendtype,
                                                  .receive = recvbuf,
                                                  .receive_count = recvcount,
                                                  .receive_type = recvtype,
                                                  .root = root});
    int error = root_check(mpi, c, root);

    if (!error && gives)
        error = blocks_check(mpi, c, sendbuf, NULL, sendcount, NULL, sendtype, "sendcount", &in);
    if (!error && !in_place)
        error = data_check(mpi, c, recvbuf, recvcount, recvtype, "recvcount", &out);
    if (!error && gives && !in_place)
        error = same_bytes(mpi, c, in.length, out.bytes);
    if (error)
        return error;
    size_t m = gives ? in.length : out.bytes;

    if (gives)
        from = blocks_packed(mpi, &in, c->size, true, &in_copy);
    void *to = in_place ? from + (size_t)root * m : data_place(mpi, &out, &out_copy);

    peal_scatter_at(c->view, coll_algorithm(mpi, c, PEAL_SCATTER, m, NULL, root, false), from, m, root, to, mpi->file,
                    mpi->line);
    mpi_free(mpi, in_copy);
    data_unpack(mpi, &out, out_copy, out.bytes);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Scatter, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Scatter);
    FIND_COMM(c, comm);

    return coll_scatter(mpi, c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}

int
coll_allgather(struct mpi *mpi, struct comm *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
               void *recvbuf, int recvcount, MPI_Datatype recvtype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    struct data in = {.bytes = 0};
    struct blocks_of out;
    void *in_copy = NULL;
    char *out_copy;

    if (c->inter)
        return inter_allgather(mpi, c,
                               &(struct inter_move){.send = sendbuf,
                                                    .send_count = sendcount,
                                                    .send_type = sendtype,
                                                    .receive = recvbuf,
                                                    .receive_count = recvcount,
                                                    .receive_type = recvtype});
    int error = blocks_check(mpi, c, recvbuf, NULL, recvcount, NULL, recvtype, "recvcount", &out);

    if (!error && !in_place)
        error = data_check(mpi, c, sendbuf, sendcount, sendtype, "sendcount", &in);
    if (!error && !in_place)
        error = same_bytes(mpi, c, in.bytes, out.length);
    if (error)
        return error;
    char *to = blocks_packed(mpi, &out, c->size, in_place, &out_copy);
    const void *from = in_place ? to + (size_t)c->rank * out.length : data_packed(mpi, &in, &in_copy);

    peal_allgather_at(c->view, coll_algorithm(mpi, c, PEAL_ALLGATHER, out.length, NULL, 0, false), from, out.length, to,
                      mpi->file, mpi->line);
    mpi_free(mpi, in_copy);
    blocks_unpack(mpi, &out, c->size, out_copy);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Allgather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Allgather);
    FIND_COMM(c, comm);

    return coll_allgather(mpi, c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}

int
coll_alltoall(struct mpi *mpi, struct comm *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
              int recvcount, MPI_Datatype recvtype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    struct blocks_of in = {.bytes = 0}, out;
    char *in_copy = NULL, *out_copy, *from;

    if (c->inter)
        return inter_alltoall(mpi, c,
                              &(struct inter_move){.send = sendbuf,
                                                   .send_count = sendcount,
                                                   .send_type = sendtype,
                                                   .receive = recvbuf,
                                                   .receive_count = recvcount,
                                                   .receive_type = recvtype});
    int error = blocks_check(mpi, c, recvbuf, NULL, recvcount, NULL, recvtype, "recvcount", &out);

    if (!error && !in_place)
        error = blocks_check(mpi, c, sendbuf, NULL, sendcount, NULL, sendtype, "sendcount", &in);
    if (!error && !in_place)
        error = same_bytes(mpi, c, in.length, out.length);
    if (error)
        return error;
    char *to = blocks_packed(mpi, &out, c->size, in_place, &out_copy);

    if (in_place)
        from = in_copy = memcpy(mpi_scratch(mpi, out.bytes), to, out.bytes);
    else
        from = blocks_packed(mpi, &in, c->size, true, &in_copy);
    peal_alltoall_at(c->view, coll_algorithm(mpi, c, PEAL_ALLTOALL, out.length, NULL, 0, false), from, out.length, to,
                     mpi->file, mpi->line);
    mpi_free(mpi, in_copy);
    blocks_unpack(mpi, &out, c->size, out_copy);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Alltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Alltoall);
    FIND_COMM(c, comm);

    return coll_alltoall(mpi, c, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}
