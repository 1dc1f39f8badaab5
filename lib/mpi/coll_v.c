/* SPDX-License-Identifier: MIT */
/* Collectives that move data, with blocks of lengths of their own. */
#include "lib/mpi/coll.h"
#include "lib/mpi/inter.h"
#include <string.h>

/* Of MPI_Gatherv and MPI_Scatterv only the root knows the lengths: they are direct messages, in the collectives' context. */
static const struct peal_form gatherv = {.name = "MPI_Gatherv", .out = PEAL_SIDE_NONE, .root = true},
                              scatterv = {.name = "MPI_Scatterv", .root = true}, alltoallw = {.name = "MPI_Alltoallw"};

static struct peal_node *
enter(struct mpi *mpi, const struct comm *comm, const struct peal_form *form, int root)
{
    const struct peal_call call = {.form = form, .root = root};

    peal_agree(comm->view, &call, mpi->file, mpi->line);
    return peal_enter(comm->view, form->name, mpi->file, mpi->line);
}

static int
check_lists(struct mpi *mpi, struct comm *comm, const int *counts, const int *displs, const char *what)
{
    if (counts && displs)
        return MPI_SUCCESS;
    return mpi_error(mpi, comm, MPI_ERR_ARG, "the list of %s is NULL", what);
}

/* Copy one node's own data. */
static void
copy_own(struct mpi *mpi, const struct data *from, const struct data *to)
{
    void *copy;
    const void *packed = data_packed(mpi, from, &copy);

    type_unpack(to->type, to->buffer, to->count, packed, from->bytes < to->bytes ? from->bytes : to->bytes);
    mpi_free(mpi, copy);
}

/* Send or receive every block but one's own, all at once. */
static void
move_blocks(struct mpi *mpi, struct peal_node *me, const struct blocks_of *blocks, int own, int size, bool sends)
{
    struct peal_handle *handles = mpi_scratch(mpi, (size_t)size * sizeof *handles);
    void **copies = mpi_scratch(mpi, (size_t)size * sizeof *copies);

    for (int i = 0; i < size; i++) {
        const struct data one = block_data(blocks, i);

        if (i == own)
            continue;
        if (sends)
            handles[i] = peal_send_async_at(me, data_packed(mpi, &one, &copies[i]), one.bytes, i, 0, NULL, 0);
        else
            handles[i] = peal_recv_async_at(me, data_place(mpi, &one, &copies[i]), one.bytes, i, 0, NULL, 0);
    }
    for (int i = 0; i < size; i++) {
        const struct data one = block_data(blocks, i);

        if (i == own)
            continue;
        const struct peal_message came = peal_wait_at(me, handles[i], NULL, 0);

        if (sends)
            mpi_free(mpi, copies[i]);
        else
            data_unpack(mpi, &one, copies[i], came.words);
    }
    mpi_free(mpi, copies);
    mpi_free(mpi, handles);
}

int
coll_gatherv(struct mpi *mpi, struct comm *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root)
{
    bool takes = c->rank == root, in_place = takes && sendbuf == MPI_IN_PLACE;
    struct data in = {.bytes = 0};
    struct blocks_of out = {.bytes = 0};
    void *copy = NULL;

    if (c->inter)
        return inter_gather(mpi, c,
                            &(struct inter_move){.send = sendbuf,
                                                 .send_count = sendcount,
                                                 .send_type = sendtype,
                                                 .receive = recvbuf,
                                                 .receive_counts = recvcounts,
                                                 .receive_displs = displs,
                                                 .receive_type = recvtype,
                                                 .unequal = true,
                                                 .root = root});
    int error = root_check(mpi, c, root);

    if (!error && !in_place)
        error = data_check(mpi, c, sendbuf, sendcount, sendtype, "sendcount", &in);
    if (!error && takes)
        error = check_lists(mpi, c, recvcounts, displs, "recvcounts or displs");
    if (!error && takes)
        error = blocks_check(mpi, c, recvbuf, recvcounts, 0, displs, recvtype, "recvcounts", &out);
    if (!error && takes && !in_place)
        error = same_bytes(mpi, c, in.bytes, out.lengths[root]);
    if (error)
        return error;
    struct peal_node *me = enter(mpi, c, &gatherv, root);

    if (takes) {
        const struct data own = block_data(&out, root);

        if (!in_place)
            copy_own(mpi, &in, &own);
        move_blocks(mpi, me, &out, root, c->size, false);
        blocks_fini(mpi, &out);
    } else {
        peal_send_at(me, data_packed(mpi, &in, &copy), in.bytes, root, 0, NULL, 0);
        mpi_free(mpi, copy);
    }
    peal_leave(me);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Gatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Gatherv);
    FIND_COMM(c, comm);

    return coll_gatherv(mpi, c, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root);
}

int
coll_scatterv(struct mpi *mpi, struct comm *c, const void *sendbuf, const int sendcounts[], const int displs[],
              MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root)
{
    bool gives = c->rank == root, in_place = gives && recvbuf == MPI_IN_PLACE;
    struct blocks_of in = {.bytes = 0};
    struct data out = {.bytes = 0};
    void *copy = NULL;

    if (c->inter)
        return inter_scatter(mpi, c,
                             &(struct inter_move){.send = sendbuf,
                                                  .send_counts = sendcounts,
                                                  .send_displs = displs,
                                                  .send_type = sendtype,
                                                  .receive = recvbuf,
                                                  .receive_count = recvcount,
                                                  .receive_type = recvtype,
                                                  .unequal = true,
                                                  .root = root});
    int error = root_check(mpi, c, root);

    if (!error && gives)
        error = check_lists(mpi, c, sendcounts, displs, "sendcounts or displs");
    if (!error && gives)
        error = blocks_check(mpi, c, sendbuf, sendcounts, 0, displs, sendtype, "sendcounts", &in);
    if (!error && !in_place)
        error = data_check(mpi, c, recvbuf, recvcount, recvtype, "recvcount", &out);
    if (!error && gives && !in_place)
        error = same_bytes(mpi, c, in.lengths[root], out.bytes);
    if (error)
        return error;
    struct peal_node *me = enter(mpi, c, &scatterv, root);

    if (gives) {
        const struct data own = block_data(&in, root);

        if (!in_place)
            copy_own(mpi, &own, &out);
        move_blocks(mpi, me, &in, root, c->size, true);
        blocks_fini(mpi, &in);
    } else {
        void *place = data_place(mpi, &out, &copy);
        const struct peal_message came = peal_recv_at(me, place, out.bytes, root, 0, NULL, 0);

        data_unpack(mpi, &out, copy, came.words);
    }
    peal_leave(me);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Scatterv, const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Scatterv);
    FIND_COMM(c, comm);

    return coll_scatterv(mpi, c, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root);
}

int
coll_allgatherv(struct mpi *mpi, struct comm *c, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype)
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
                                                    .receive_counts = recvcounts,
                                                    .receive_displs = displs,
                                                    .receive_type = recvtype,
                                                    .unequal = true});
    int error = check_lists(mpi, c, recvcounts, displs, "recvcounts or displs");

    if (!error)
        error = blocks_check(mpi, c, recvbuf, recvcounts, 0, displs, recvtype, "recvcounts", &out);
    if (!error && !in_place)
        error = data_check(mpi, c, sendbuf, sendcount, sendtype, "sendcount", &in);
    if (!error && !in_place)
        error = same_bytes(mpi, c, in.bytes, out.lengths[c->rank]);
    if (error)
        return error;
    char *to = blocks_packed(mpi, &out, c->size, in_place, &out_copy), *own = to;

    for (int i = 0; i < c->rank; i++)
        own += out.lengths[i];
    peal_allgatherv_at(c->view, coll_algorithm(mpi, c, PEAL_ALLGATHER, 0, NULL, 0, true),
                       in_place ? own : data_packed(mpi, &in, &in_copy), out.lengths, to, mpi->file, mpi->line);
    mpi_free(mpi, in_copy);
    blocks_unpack(mpi, &out, c->size, out_copy);
    blocks_fini(mpi, &out);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Allgatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Allgatherv);
    FIND_COMM(c, comm);

    return coll_allgatherv(mpi, c, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype);
}

int
coll_alltoallv(struct mpi *mpi, struct comm *c, const void *sendbuf, const int sendcounts[], const int sdispls[],
               MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype)
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    struct blocks_of in = {.bytes = 0}, out;
    char *in_copy = NULL, *out_copy, *from;

    if (c->inter)
        return inter_alltoall(mpi, c,
                              &(struct inter_move){.send = sendbuf,
                                                   .send_counts = sendcounts,
                                                   .send_displs = sdispls,
                                                   .send_type = sendtype,
                                                   .receive = recvbuf,
                                                   .receive_counts = recvcounts,
                                                   .receive_displs = rdispls,
                                                   .receive_type = recvtype,
                                                   .unequal = true});
    int error = check_lists(mpi, c, recvcounts, rdispls, "recvcounts or rdispls");

    if (!error)
        error = blocks_check(mpi, c, recvbuf, recvcounts, 0, rdispls, recvtype, "recvcounts", &out);
    if (!error && !in_place)
        error = check_lists(mpi, c, sendcounts, sdispls, "sendcounts or sdispls");
    if (!error && !in_place)
        error = blocks_check(mpi, c, sendbuf, sendcounts, 0, sdispls, sendtype, "sendcounts", &in);
    if (!error && !in_place)
        error = same_bytes(mpi, c, in.lengths[c->rank], out.lengths[c->rank]);
    if (error)
        return error;
    char *to = blocks_packed(mpi, &out, c->size, in_place, &out_copy);

    if (in_place)
        from = in_copy = memcpy(mpi_scratch(mpi, out.bytes), to, out.bytes);
    else
        from = blocks_packed(mpi, &in, c->size, true, &in_copy);
    peal_alltoallv_at(c->view, coll_algorithm(mpi, c, PEAL_ALLTOALL, 0, NULL, 0, true), from,
                      in_place ? out.lengths : in.lengths, to, out.lengths, mpi->file, mpi->line);
    mpi_free(mpi, in_copy);
    blocks_unpack(mpi, &out, c->size, out_copy);
    blocks_fini(mpi, &in);
    blocks_fini(mpi, &out);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Alltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
             void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Alltoallv);
    FIND_COMM(c, comm);

    return coll_alltoallv(mpi, c, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype);
}

/* ------------------------------------------------------------------ a type for each block */

/* Check the lists and find the data of each block. */
static int
find_all(struct mpi *mpi, struct comm *comm, const void *buffer, const int *counts, const int *displs,
         const MPI_Datatype *types, const char *what, struct data *all)
{
    if (!counts || !displs || !types)
        return mpi_error(mpi, comm, MPI_ERR_ARG, "a list of what is %s is NULL", what);
    for (int i = 0; i < comm->size; i++) {
        int error = data_check(mpi, comm, (const char *)buffer + displs[i], counts[i], types[i], what, &all[i]);

        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

static void
move_all(struct mpi *mpi, struct peal_node *me, const struct data *out, const struct data *in, int size)
{
    struct peal_handle *handles = mpi_scratch(mpi, 2 * (size_t)size * sizeof *handles);
    void **copies = mpi_scratch(mpi, 2 * (size_t)size * sizeof *copies);
    int rank = peal_rank(me);

    for (int i = 0; i < size; i++) { /* in the i-th round from the i-th node behind */
        int source = (rank - i + size) % size, dest = (rank + i) % size;

        handles[size + source] = peal_recv_async_at(me, data_place(mpi, &in[source], &copies[size + source]),
                                                    in[source].bytes, source, 0, NULL, 0);
        handles[dest] =
            peal_send_async_at(me, data_packed(mpi, &out[dest], &copies[dest]), out[dest].bytes, dest, 0, NULL, 0);
    }
    for (int i = 0; i < size; i++) {
        peal_wait_at(me, handles[i], NULL, 0);
        mpi_free(mpi, copies[i]);
        data_unpack(mpi, &in[i], copies[size + i], peal_wait_at(me, handles[size + i], NULL, 0).words);
    }
    mpi_free(mpi, copies);
    mpi_free(mpi, handles);
}

int
coll_alltoallw(struct mpi *mpi, struct comm *c, const void *sendbuf, const int sendcounts[], const int sdispls[],
               const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
               const MPI_Datatype recvtypes[])
{
    bool in_place = sendbuf == MPI_IN_PLACE;
    size_t size = (size_t)c->size;
    struct data *in = mpi_scratch(mpi, size * sizeof *in), *out = mpi_scratch(mpi, size * sizeof *out);
    char *copy = NULL;
    size_t bytes = 0;

    if (c->inter)
        return inter_alltoall(mpi, c,
                              &(struct inter_move){.send = sendbuf,
                                                   .send_counts = sendcounts,
                                                   .send_displs = sdispls,
                                                   .send_types = sendtypes,
                                                   .receive = recvbuf,
                                                   .receive_counts = recvcounts,
                                                   .receive_displs = rdispls,
                                                   .receive_types = recvtypes,
                                                   .unequal = true});
    int error = find_all(mpi, c, recvbuf, recvcounts, rdispls, recvtypes, "received", in);

    if (!error && !in_place)
        error = find_all(mpi, c, sendbuf, sendcounts, sdispls, sendtypes, "sent", out);
    if (error)
        return error;
    for (size_t i = 0; i < size; i++)
        bytes += in[i].bytes;
    if (in_place) { /* send a copy of what lies there */
        char *at = copy = mpi_scratch(mpi, bytes);

        for (size_t i = 0; i < size; i++) {
            type_pack(in[i].type, in[i].buffer, in[i].count, at, in[i].bytes);
            out[i] = (struct data){at, in[i].bytes, type_find(mpi, MPI_BYTE), in[i].bytes};
            at += in[i].bytes;
        }
    }
    struct peal_node *me = enter(mpi, c, &alltoallw, 0);

    move_all(mpi, me, out, in, c->size);
    peal_leave(me);
    mpi_free(mpi, copy);
    mpi_free(mpi, in);
    mpi_free(mpi, out);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Alltoallw, const void *sendbuf, const int sendcounts[], const int sdispls[],
             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
             const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Alltoallw);
    FIND_COMM(c, comm);

    return coll_alltoallw(mpi, c, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}
