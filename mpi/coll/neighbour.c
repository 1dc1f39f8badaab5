/* SPDX-License-Identifier: MIT */
/* Collectives over the neighbours of a topology: direct messages, all posted at once. */
#include "mpi/coll/coll.h"
#include "mpi/comm/topo.h"

/* The tag of the message to neighbour i: the place of this node among that one's neighbours, since two nodes may be
 * neighbours twice. */
static int
tag_of(const struct comm *c, int i)
{
    return c->topology->kind == MPI_CART ? i ^ 1 : 0;
}

static void
neighbours_exchange(struct mpi *mpi, struct comm *c, const struct neighbours *near, const struct typed_data *out,
                    const struct typed_data *in)
{
    struct block_message *messages = mpi_scratch(mpi, (size_t)(near->in + near->out) * sizeof *messages);
    bool grid = c->topology->kind == MPI_CART;
    int count = 0;

    for (int i = 0; i < near->in; i++)
        if (near->sources[i] != MPI_PROC_NULL)
            messages[count++] =
                (struct block_message){.data = in[i], .sends = false, .peer = near->sources[i], .tag = grid ? i : 0};
    for (int i = 0; i < near->out; i++)
        if (near->destinations[i] != MPI_PROC_NULL)
            messages[count++] = (struct block_message){
                .data = out[i], .sends = true, .peer = near->destinations[i], .tag = tag_of(c, i)};
    blocks_move(mpi, c, c->view, messages, count);
    mpi_free(mpi, messages);
}

int
coll_neighbours(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    const struct peal_call call = {.form = a->form};
    struct comm entered = *c;
    struct neighbours near;
    struct typed_data *out = NULL, *in = NULL;

    peal_declare_call(c->view, &call, mpi->file, mpi->line);
    if (c->inter || !neighbours_find(mpi, c, &near))
        return mpi_error(mpi, c, MPI_ERR_TOPOLOGY, "the communicator has no topology");
    int error;

    out = blocks_find(mpi, c, &a->send, near.out, a->to_all, "sent", &error);
    if (!error)
        in = blocks_find(mpi, c, &a->receive, near.in, false, "received", &error);
    if (!error) {
        entered.view = peal_enter(c->view, a->form->name, mpi->file, mpi->line);
        neighbours_exchange(mpi, &entered, &near, out, in);
        peal_leave(entered.view);
    }
    mpi_free(mpi, out);
    mpi_free(mpi, in);
    neighbours_fini(mpi, &near);
    return error;
}
