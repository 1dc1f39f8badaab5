/* SPDX-License-Identifier: MIT */
/* Collectives over the neighbours of a topology: direct messages, all posted at once. */
#include "lib/mpi/coll.h"
#include "lib/mpi/topo.h"

/* One side of the exchange: a block for each neighbour. */
struct side {
    const void *buffer;
    int count;
    const int *counts, *displs;
    const MPI_Aint *places;
    MPI_Datatype type;
    const MPI_Datatype *types;
    bool all; /* one block for all */
};

/* Find block i. */
static int
find_block(struct mpi *mpi, struct comm *c, const struct side *side, int i, const char *what, struct data *block)
{
    int count = side->counts ? side->counts[i] : side->count;
    const char *buffer = side->buffer;
    int error = data_check(mpi, c, side->types ? buffer + side->places[i] : buffer, count,
                           side->types ? side->types[i] : side->type, what, block);

    if (error || side->types || side->all)
        return error;
    block->buffer +=
        (side->displs ? (ptrdiff_t)side->displs[i] : (ptrdiff_t)i * side->count) * type_extent(block->type);
    return MPI_SUCCESS;
}

static int
find_blocks(struct mpi *mpi, struct comm *c, const struct side *side, int count, const char *what, struct data **blocks)
{
    int error = MPI_SUCCESS;

    *blocks = mpi_scratch(mpi, (size_t)count * sizeof **blocks);
    for (int i = 0; i < count && !error; i++)
        error = find_block(mpi, c, side, i, what, &(*blocks)[i]);
    return error;
}

/* What is posted for a block. */
struct post {
    struct peal_handle handle;
    void *copy;
};

/* The tag of what is sent to neighbour i: the place of this node among that one's neighbours, where both may be the same
 * twice. */
static int
tag_of(const struct comm *c, int i)
{
    return c->topology->kind == MPI_CART ? i ^ 1 : 0;
}

static void
exchange(struct mpi *mpi, const struct comm *c, const struct neighbours *near, const struct data *out,
         const struct data *in)
{
    struct post *sends = mpi_alloc(mpi, (size_t)near->out * sizeof *sends),
                *receives = mpi_alloc(mpi, (size_t)near->in * sizeof *receives);
    bool grid = c->topology->kind == MPI_CART;

    for (int i = 0; i < near->in; i++)
        if (near->sources[i] != MPI_PROC_NULL)
            receives[i].handle = peal_recv_async_at(c->view, data_place(mpi, &in[i], &receives[i].copy), in[i].bytes,
                                                    near->sources[i], grid ? i : 0, mpi->file, mpi->line);
    for (int i = 0; i < near->out; i++)
        if (near->destinations[i] != MPI_PROC_NULL)
            sends[i].handle = peal_send_async_at(c->view, data_packed(mpi, &out[i], &sends[i].copy), out[i].bytes,
                                                 near->destinations[i], tag_of(c, i), mpi->file, mpi->line);
    for (int i = 0; i < near->out; i++)
        if (near->destinations[i] != MPI_PROC_NULL) {
            peal_wait_at(c->view, sends[i].handle, mpi->file, mpi->line);
            mpi_free(mpi, sends[i].copy);
        }
    for (int i = 0; i < near->in; i++)
        if (near->sources[i] != MPI_PROC_NULL) {
            const struct peal_message came = peal_wait_at(c->view, receives[i].handle, mpi->file, mpi->line);

            data_unpack(mpi, &in[i], receives[i].copy, came.words);
        }
    mpi_free(mpi, sends);
    mpi_free(mpi, receives);
}

int
coll_neighbours(struct mpi *mpi, struct comm *c, const struct neighbour_args *args)
{
    const struct side from = {.buffer = args->send,
                              .count = args->send_count,
                              .counts = args->send_counts,
                              .displs = args->send_displs,
                              .places = args->send_places,
                              .type = args->send_type,
                              .types = args->send_types,
                              .all = args->all},
                      to = {.buffer = args->receive,
                            .count = args->receive_count,
                            .counts = args->receive_counts,
                            .displs = args->receive_displs,
                            .places = args->receive_places,
                            .type = args->receive_type,
                            .types = args->receive_types};
    struct neighbours near;
    struct data *out = NULL, *in = NULL;

    if (c->inter || !neighbours_find(mpi, c, &near))
        return mpi_error(mpi, c, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    int error = find_blocks(mpi, c, &from, near.out, "sent", &out);

    if (!error)
        error = find_blocks(mpi, c, &to, near.in, "received", &in);
    if (!error)
        exchange(mpi, c, &near, out, in);
    mpi_free(mpi, out);
    mpi_free(mpi, in);
    neighbours_fini(mpi, &near);
    return error;
}

/* Carry it out in the collectives' context. */
static int
blocking(struct mpi *mpi, struct comm *c, const struct peal_form *form, const struct neighbour_args *args)
{
    const struct peal_call call = {.form = form};
    struct comm entered = *c;

    peal_agree(c->view, &call, mpi->file, mpi->line);
    entered.view = peal_enter(c->view, form->name, mpi->file, mpi->line);
    int error = coll_neighbours(mpi, &entered, args);

    peal_leave(entered.view);
    return error;
}

MPI_FUNCTION(int, Neighbor_allgather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static const struct peal_form form = {.name = "MPI_Neighbor_allgather"};
    struct mpi *mpi = ENTER(Neighbor_allgather);
    FIND_COMM(c, comm);

    return blocking(mpi, c, &form,
                    &(struct neighbour_args){.send = sendbuf,
                                             .send_count = sendcount,
                                             .send_type = sendtype,
                                             .receive = recvbuf,
                                             .receive_count = recvcount,
                                             .receive_type = recvtype,
                                             .all = true});
}

MPI_FUNCTION(int, Neighbor_allgatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    static const struct peal_form form = {.name = "MPI_Neighbor_allgatherv"};
    struct mpi *mpi = ENTER(Neighbor_allgatherv);
    FIND_COMM(c, comm);

    return blocking(mpi, c, &form,
                    &(struct neighbour_args){.send = sendbuf,
                                             .send_count = sendcount,
                                             .send_type = sendtype,
                                             .receive = recvbuf,
                                             .receive_counts = recvcounts,
                                             .receive_displs = displs,
                                             .receive_type = recvtype,
                                             .all = true});
}

MPI_FUNCTION(int, Neighbor_alltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    static const struct peal_form form = {.name = "MPI_Neighbor_alltoall"};
    struct mpi *mpi = ENTER(Neighbor_alltoall);
    FIND_COMM(c, comm);

    return blocking(mpi, c, &form,
                    &(struct neighbour_args){.send = sendbuf,
                                             .send_count = sendcount,
                                             .send_type = sendtype,
                                             .receive = recvbuf,
                                             .receive_count = recvcount,
                                             .receive_type = recvtype});
}

MPI_FUNCTION(int, Neighbor_alltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[],
             MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
             MPI_Comm comm)
{
    static const struct peal_form form = {.name = "MPI_Neighbor_alltoallv"};
    struct mpi *mpi = ENTER(Neighbor_alltoallv);
    FIND_COMM(c, comm);

    return blocking(mpi, c, &form,
                    &(struct neighbour_args){.send = sendbuf,
                                             .send_counts = sendcounts,
                                             .send_displs = sdispls,
                                             .send_type = sendtype,
                                             .receive = recvbuf,
                                             .receive_counts = recvcounts,
                                             .receive_displs = rdispls,
                                             .receive_type = recvtype});
}

MPI_FUNCTION(int, Neighbor_alltoallw, const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
             const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    static const struct peal_form form = {.name = "MPI_Neighbor_alltoallw"};
    struct mpi *mpi = ENTER(Neighbor_alltoallw);
    FIND_COMM(c, comm);

    return blocking(mpi, c, &form,
                    &(struct neighbour_args){.send = sendbuf,
                                             .send_counts = sendcounts,
                                             .send_places = sdispls,
                                             .send_types = sendtypes,
                                             .receive = recvbuf,
                                             .receive_counts = recvcounts,
                                             .receive_places = rdispls,
                                             .receive_types = recvtypes});
}
