/* SPDX-License-Identifier: MIT */
/* Collectives over the neighbours of a topology: direct messages, all posted at once. */
#include "mpi/coll.h"
#include "mpi/topo.h"

/* One side of the exchange: a block for each neighbour. */
struct neighbour_side {
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
find_block(struct mpi *mpi, struct comm *c, const struct neighbour_side *side, int i, const char *what,
           struct typed_data *block)
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
find_blocks(struct mpi *mpi, struct comm *c, const struct neighbour_side *side, int count, const char *what,
            struct typed_data **blocks)
{
    int error = MPI_SUCCESS;

    *blocks = mpi_scratch(mpi, (size_t)count * sizeof **blocks);
    for (int i = 0; i < count && !error; i++)
        error = find_block(mpi, c, side, i, what, &(*blocks)[i]);
    return error;
}

/* The posts of a block. */
struct post {
    struct peal_handle handle;
    void *copy;
};

/* The tag of the message to neighbour i: the place of this node among that one's neighbours, where both may be the same
 * twice. */
static int
tag_of(const struct comm *c, int i)
{
    return c->topology->kind == MPI_CART ? i ^ 1 : 0;
}

static void
exchange(struct mpi *mpi, struct comm *c, const struct neighbours *near, const struct typed_data *out,
         const struct typed_data *in)
{
    struct post *sends = mpi_alloc(mpi, (size_t)near->out * sizeof *sends),
                *receives = mpi_alloc(mpi, (size_t)near->in * sizeof *receives);
    bool grid = c->topology->kind == MPI_CART;

    for (int i = 0; i < near->in; i++)
        if (near->sources[i] != MPI_PROC_NULL)
            receives[i].handle =
                block_post(mpi, c->view, &in[i], false, near->sources[i], grid ? i : 0, &receives[i].copy);
    for (int i = 0; i < near->out; i++)
        if (near->destinations[i] != MPI_PROC_NULL)
            sends[i].handle =
                block_post(mpi, c->view, &out[i], true, near->destinations[i], tag_of(c, i), &sends[i].copy);
    for (int i = 0; i < near->out; i++)
        if (near->destinations[i] != MPI_PROC_NULL)
            block_finish(mpi, c, c->view, &out[i], true, sends[i].handle, sends[i].copy);
    for (int i = 0; i < near->in; i++)
        if (near->sources[i] != MPI_PROC_NULL)
            block_finish(mpi, c, c->view, &in[i], false, receives[i].handle, receives[i].copy);
    mpi_free(mpi, sends);
    mpi_free(mpi, receives);
}

int
coll_neighbours(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    const struct neighbour_side from = {a->send,        a->send_count, a->send_counts, a->send_displs,
                                        a->send_places, a->send_type,  a->send_types,  a->to_all},
                                to = {a->receive,        a->receive_count, a->receive_counts, a->receive_displs,
                                      a->receive_places, a->receive_type,  a->receive_types,  false};
    const struct peal_call call = {.form = a->form};
    struct comm entered = *c;
    struct neighbours near;
    struct typed_data *out = NULL, *in = NULL;

    peal_declare_call(c->view, &call, mpi->file, mpi->line);
    if (c->inter || !neighbours_find(mpi, c, &near))
        return mpi_error(mpi, c, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    int error = find_blocks(mpi, c, &from, near.out, "sent", &out);

    if (!error)
        error = find_blocks(mpi, c, &to, near.in, "received", &in);
    if (!error) {
        entered.view = peal_enter(c->view, a->form->name, mpi->file, mpi->line);
        exchange(mpi, &entered, &near, out, in);
        peal_leave(entered.view);
    }
    mpi_free(mpi, out);
    mpi_free(mpi, in);
    neighbours_fini(mpi, &near);
    return error;
}
