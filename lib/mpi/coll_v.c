/* SPDX-License-Identifier: MIT */
/* Collectives that move data by direct messages. */
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
coll_gatherv(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct gathered call;
    void *copy = NULL;

    if (c->inter)
        return inter_gather(mpi, c, a);
    int error = gather_check(mpi, c, a, &call);

    if (error)
        return error;
    struct peal_node *me = enter(mpi, c, &gatherv, a->root);

    if (call.root) {
        const struct data own = block_data(&call.all, a->root);

        if (!call.in_place)
            copy_own(mpi, &call.own, &own);
        move_blocks(mpi, me, &call.all, a->root, c->size, false);
        blocks_fini(mpi, &call.all);
    } else {
        peal_send_at(me, data_packed(mpi, &call.own, &copy), call.own.bytes, a->root, 0, NULL, 0);
        mpi_free(mpi, copy);
    }
    peal_leave(me);
    return MPI_SUCCESS;
}

int
coll_scatterv(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct gathered call;
    void *copy = NULL;

    if (c->inter)
        return inter_scatter(mpi, c, a);
    int error = scatter_check(mpi, c, a, &call);

    if (error)
        return error;
    struct peal_node *me = enter(mpi, c, &scatterv, a->root);

    if (call.root) {
        const struct data own = block_data(&call.all, a->root);

        if (!call.in_place)
            copy_own(mpi, &own, &call.own);
        move_blocks(mpi, me, &call.all, a->root, c->size, true);
        blocks_fini(mpi, &call.all);
    } else {
        void *place = data_place(mpi, &call.own, &copy);
        const struct peal_message came = peal_recv_at(me, place, call.own.bytes, a->root, 0, NULL, 0);

        data_unpack(mpi, &call.own, copy, came.words);
    }
    peal_leave(me);
    return MPI_SUCCESS;
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
coll_alltoallw(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    if (c->inter)
        return inter_alltoall(mpi, c, a);
    bool in_place = a->send == MPI_IN_PLACE;
    size_t size = (size_t)c->size, bytes = 0;
    struct data *in = mpi_scratch(mpi, size * sizeof *in), *out = mpi_scratch(mpi, size * sizeof *out);
    char *copy = NULL;
    int error = find_all(mpi, c, a->receive, a->receive_counts, a->receive_displs, a->receive_types, "received", in);

    if (!error && !in_place)
        error = find_all(mpi, c, a->send, a->send_counts, a->send_displs, a->send_types, "sent", out);
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
