/* SPDX-License-Identifier: MIT */
/* Collectives that move data by direct messages. */
#include "mpi/coll.h"
#include "mpi/inter.h"

/* Of MPI_Gatherv and MPI_Scatterv only the root knows the lengths: they are direct messages, in the collectives'
 * context. */
static const struct peal_form gatherv = {.name = "MPI_Gatherv", .out = PEAL_SIDE_NONE, .root = true},
                              scatterv = {.name = "MPI_Scatterv", .root = true}, alltoallw = {.name = "MPI_Alltoallw"};

static struct peal_node *
enter(struct mpi *mpi, const struct comm *comm, const struct peal_form *form, int root)
{
    const struct peal_call call = {.form = form, .root = root};

    peal_declare_call(comm->view, &call, mpi->file, mpi->line);
    return peal_enter(comm->view, form->name, mpi->file, mpi->line);
}

/* Copy one node's own data. */
static void
copy_own(struct mpi *mpi, const struct typed_data *from, const struct typed_data *to)
{
    void *copy;
    const void *packed = data_packed(mpi, from, &copy);

    type_unpack(to->type, to->buffer, to->count, packed, from->bytes < to->bytes ? from->bytes : to->bytes);
    mpi_free(mpi, copy);
}

/* Send or receive every block but one's own, all at once. */
static void
move_blocks(struct mpi *mpi, struct comm *c, struct peal_node *me, const struct blocks_of *blocks, int own, bool sends)
{
    int size = c->size;
    struct peal_handle *handles = mpi_scratch(mpi, (size_t)size * sizeof *handles);
    void **copies = mpi_scratch(mpi, (size_t)size * sizeof *copies);

    for (int i = 0; i < size; i++) {
        const struct typed_data one = block_data(blocks, i);

        if (i != own)
            handles[i] = block_post(mpi, me, &one, sends, i, 0, &copies[i]);
    }
    for (int i = 0; i < size; i++) {
        const struct typed_data one = block_data(blocks, i);

        if (i != own)
            block_finish(mpi, c, me, &one, sends, handles[i], copies[i]);
    }
    mpi_free(mpi, copies);
    mpi_free(mpi, handles);
}

int
coll_gatherv(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct gathered call;

    if (c->inter)
        return inter_gather(mpi, c, a);
    int error = gather_check(mpi, c, a, &call);

    if (error)
        return error;
    struct peal_node *me = enter(mpi, c, &gatherv, a->root);

    if (call.root) {
        const struct typed_data own = block_data(&call.all, a->root);

        if (!call.in_place)
            copy_own(mpi, &call.own, &own);
        move_blocks(mpi, c, me, &call.all, a->root, false);
        blocks_fini(mpi, &call.all);
    } else {
        block_move(mpi, c, me, &call.own, true, a->root);
    }
    peal_leave(me);
    return MPI_SUCCESS;
}

int
coll_scatterv(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    struct gathered call;

    if (c->inter)
        return inter_scatter(mpi, c, a);
    int error = scatter_check(mpi, c, a, &call);

    if (error)
        return error;
    struct peal_node *me = enter(mpi, c, &scatterv, a->root);

    if (call.root) {
        const struct typed_data own = block_data(&call.all, a->root);

        if (!call.in_place)
            copy_own(mpi, &own, &call.own);
        move_blocks(mpi, c, me, &call.all, a->root, true);
        blocks_fini(mpi, &call.all);
    } else {
        block_move(mpi, c, me, &call.own, false, a->root);
    }
    peal_leave(me);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ a type for each block */

/* Check the lists and find the data of each block. */
static int
find_all(struct mpi *mpi, struct comm *comm, const void *buffer, const int *counts, const int *displs,
         const MPI_Datatype *types, const char *what, struct typed_data *all)
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
move_all(struct mpi *mpi, struct comm *c, struct peal_node *me, const struct typed_data *out,
         const struct typed_data *in)
{
    int size = c->size;
    struct peal_handle *handles = mpi_scratch(mpi, 2 * (size_t)size * sizeof *handles);
    void **copies = mpi_scratch(mpi, 2 * (size_t)size * sizeof *copies);
    int rank = peal_rank(me);

    for (int i = 0; i < size; i++) { /* in the i-th round from the node i ranks before */
        int source = (rank - i + size) % size, dest = (rank + i) % size;

        handles[size + source] = block_post(mpi, me, &in[source], false, source, 0, &copies[size + source]);
        handles[dest] = block_post(mpi, me, &out[dest], true, dest, 0, &copies[dest]);
    }
    for (int i = 0; i < size; i++) {
        block_finish(mpi, c, me, &out[i], true, handles[i], copies[i]);
        block_finish(mpi, c, me, &in[i], false, handles[size + i], copies[size + i]);
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
    struct typed_data *in = mpi_scratch(mpi, size * sizeof *in), *out = mpi_scratch(mpi, size * sizeof *out);
    char *copy = NULL;
    int error = find_all(mpi, c, a->receive, a->receive_counts, a->receive_displs, a->receive_types, "received", in);

    if (!error && !in_place)
        error = find_all(mpi, c, a->send, a->send_counts, a->send_displs, a->send_types, "sent", out);
    if (error)
        return error;
    for (size_t i = 0; i < size; i++)
        bytes += in[i].bytes;
    if (in_place) { /* send a copy of the data there */
        char *at = copy = mpi_scratch(mpi, bytes);

        for (size_t i = 0; i < size; i++) {
            type_pack(in[i].type, in[i].buffer, in[i].count, at, in[i].bytes);
            out[i] = (struct typed_data){at, in[i].bytes, type_find(mpi, MPI_BYTE), in[i].bytes};
            at += in[i].bytes;
        }
    }
    struct peal_node *me = enter(mpi, c, &alltoallw, 0);

    move_all(mpi, c, me, out, in);
    peal_leave(me);
    mpi_free(mpi, copy);
    mpi_free(mpi, in);
    mpi_free(mpi, out);
    return MPI_SUCCESS;
}
