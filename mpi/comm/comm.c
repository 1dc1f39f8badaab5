/* SPDX-License-Identifier: MIT */
/* Communicators: each is a group of the machine, with its own contexts. */
#include "mpi/comm/comm.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/comm/attribute.h"
#include "mpi/comm/topo.h"

/* ------------------------------------------------------------------ objects */

static struct comm *
comm_new(struct mpi *mpi, struct peal_node *view)
{
    struct comm *comm = mpi_alloc(mpi, sizeof *comm);

    *comm = (struct comm){.references = 1,
                          .view = view,
                          .rank = peal_rank(view),
                          .size = peal_size(view),
                          .errhandler = MPI_ERRORS_ARE_FATAL};
    return comm;
}

void
comm_set_name(struct mpi *mpi, struct comm *comm, const char *name)
{
    mpi_set_name(mpi, &comm->name, name);
    peal_name_group(comm->view, comm->name);
}

void
comm_begin(struct mpi *mpi)
{
    mpi->world = comm_new(mpi, mpi->me);
    mpi->picks = peal_picks(mpi->me);
    mpi->world->handle = MPI_COMM_WORLD;
    comm_set_name(mpi, mpi->world, "MPI_COMM_WORLD");
    const struct peal_meeting alone = {.ranks = &mpi->world->rank, .count = 1, .group = true};

    mpi->self = comm_new(mpi, peal_meet_at(mpi->me, &alone, mpi->file, mpi->line));
    mpi->self->handle = MPI_COMM_SELF;
    comm_set_name(mpi, mpi->self, "MPI_COMM_SELF");
}

struct comm *
comm_without_handle(struct mpi *mpi, struct peal_node *view, const struct comm *parent)
{
    struct comm *comm = comm_new(mpi, view);

    comm->errhandler = errhandler_share(mpi, parent->errhandler);
    return comm;
}

struct comm *
comm_make(struct mpi *mpi, struct peal_node *view, const struct comm *parent)
{
    struct comm *comm = comm_without_handle(mpi, view, parent);

    comm->handle = (MPI_Comm)handle_make(mpi, KIND_COMM, comm);
    return comm;
}

void
comm_drop(struct mpi *mpi, struct comm *comm)
{
    if (--comm->references > 0)
        return;
    comm_forget_elements(comm);
    errhandler_drop(mpi, comm->errhandler);
    if (comm->inter) {
        comm_drop(mpi, comm->inter->local);
        mpi_free(mpi, comm->inter);
    }
    topology_free(mpi, comm->topology);
    mpi_free(mpi, comm->name);
    mpi_free(mpi, comm);
}

struct peal_node *
comm_elements(const struct mpi *mpi, struct comm *comm, size_t word_bytes)
{
    if (word_bytes == 1)
        return comm->view;
    if (comm->elements && peal_word_bytes(comm->elements) == word_bytes)
        return comm->elements;
    comm_forget_elements(comm);
    return comm->elements = peal_view_at(comm->view, word_bytes, mpi->file, mpi->line);
}

void
comm_forget_elements(struct comm *comm)
{
    if (comm->elements)
        peal_view_end(comm->elements);
    comm->elements = NULL;
}

struct owner
comm_owner(struct comm *comm)
{
    return (struct owner){KIND_COMM, (uintptr_t)comm->handle, &comm->attributes, comm};
}

int
root_check(struct mpi *mpi, struct comm *comm, int root)
{
    if ((root >= 0 && root < comm_peers(comm)) || (comm->inter && (root == MPI_ROOT || root == MPI_PROC_NULL)))
        return MPI_SUCCESS;
    advise_root(mpi, comm, root);
    return mpi_error(mpi, comm, MPI_ERR_ROOT, "root %d is out of range: ranks are 0 to %d%s", root,
                     comm_peers(comm) - 1, comm->inter ? ", MPI_ROOT or MPI_PROC_NULL" : "");
}

void
comm_gave_null(struct mpi *mpi, bool freed, bool undefined)
{
    mpi->null_call = mpi->call;
    mpi->null_site = mpi->file;
    mpi->null_freed = freed;
    mpi->null_undefined = undefined;
}

int
comm_finish_copy(struct mpi *mpi, struct comm *c, struct comm *copy, MPI_Comm *newcomm)
{
    int error = attributes_copy(mpi, comm_owner(c), comm_owner(copy));

    *newcomm = MPI_COMM_NULL;
    if (error) {
        attributes_delete(mpi, comm_owner(copy));
        handle_free(mpi, KIND_COMM, (uintptr_t)copy->handle);
        comm_drop(mpi, copy);
        return mpi_error(mpi, c, error, "an attribute could not be copied");
    }
    if (c->topology)
        copy->topology = topology_copy(mpi, c->topology);
    *newcomm = copy->handle;
    return MPI_SUCCESS;
}
