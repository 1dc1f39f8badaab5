/* SPDX-License-Identifier: MIT */
/* Communicators: a group of nodes with contexts of their own, which is a group of the machine. */
#include "mpi/comm.h"
#include "mpi/attribute.h"
#include "mpi/conflict.h"
#include "mpi/error.h"
#include "mpi/finding.h"
#include "mpi/happens_before.h"
#include "mpi/inter.h"
#include "mpi/mpi_advice.h"
#include "mpi/topo.h"
#include "mpi/win.h"
#include <stdio.h>
#include <string.h>

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

static void
set_name(struct mpi *mpi, struct comm *comm, const char *name)
{
    size_t length = strnlen(name, MPI_MAX_OBJECT_NAME - 1);

    mpi_free(mpi, comm->name);
    comm->name = mpi_alloc(mpi, length + 1);
    memcpy(comm->name, name, length);
    peal_name_group(comm->view, comm->name);
}

void
comm_begin(struct mpi *mpi)
{
    mpi->world = comm_new(mpi, mpi->me);
    mpi->picks = peal_picks(mpi->me);
    mpi->world->handle = MPI_COMM_WORLD;
    set_name(mpi, mpi->world, "MPI_COMM_WORLD");
    const struct peal_meeting alone = {.ranks = &mpi->world->rank, .count = 1, .group = true};

    mpi->self = comm_new(mpi, peal_meet_at(mpi->me, &alone, mpi->file, mpi->line));
    mpi->self->handle = MPI_COMM_SELF;
    set_name(mpi, mpi->self, "MPI_COMM_SELF");
}

void
comm_end(struct mpi *mpi)
{
    const struct owner owner = comm_owner(mpi->self);

    if (order_is_kept())
        conflict_settle(mpi);
    order_leave(mpi);
    win_end(mpi);
    attributes_delete(mpi, &owner);
    peal_end_calls(mpi->me);
    peal_wait_detached_at(mpi->me, mpi->file, mpi->line);
    if (!mpi->judged)
        peal_meet_at(mpi->me, &(struct peal_meeting){.ranks = NULL}, mpi->file,
                     mpi->line); /* nobody leaves before all have come */
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

struct peal_node *
comm_split_view(struct mpi *mpi, struct comm *comm, int color, int key)
{
    struct order_meeting *meeting = order_meet(mpi, comm);
    struct peal_node *view = peal_split_at(comm->view, color, key, mpi->file, mpi->line);

    order_met(mpi, comm, meeting);
    return view;
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
comm_world_rank(const struct comm *comm, int rank)
{
    return peal_rank_in_world(comm->view, comm->inter ? rank + comm->inter->first_local : rank);
}

int
comm_peer_world_rank(const struct comm *comm, int rank)
{
    return peal_rank_in_world(comm->view, comm_view_rank(comm, rank));
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

/* ------------------------------------------------------------------ asking */

MPI_FUNCTION(int, Comm_rank, MPI_Comm comm, int *rank)
{
    struct mpi *mpi = ENTER(Comm_rank);
    FIND_COMM(c, comm);

    NEED(rank);
    *rank = c->rank;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_size, MPI_Comm comm, int *size)
{
    struct mpi *mpi = ENTER(Comm_size);
    FIND_COMM(c, comm);

    NEED(size);
    *size = c->size;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    struct mpi *mpi = ENTER(Comm_compare);
    FIND_COMM(a, comm1);
    FIND_COMM(b, comm2);

    NEED(result);
    *result = MPI_IDENT;
    if (a == b)
        return MPI_SUCCESS;
    *result = MPI_UNEQUAL;
    if (!a->inter != !b->inter)
        return MPI_SUCCESS;
    int own = group_compare(mpi, a, b, false), remote = a->inter ? group_compare(mpi, a, b, true) : MPI_IDENT;

    if (own == MPI_IDENT && remote == MPI_IDENT)
        *result = MPI_CONGRUENT;
    else if (own != MPI_UNEQUAL && remote != MPI_UNEQUAL)
        *result = MPI_SIMILAR;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_set_name, MPI_Comm comm, const char *name)
{
    struct mpi *mpi = ENTER(Comm_set_name);
    FIND_COMM(c, comm);

    NEED(name);
    set_name(mpi, c, name);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_get_name, MPI_Comm comm, char *name, int *resultlen)
{
    struct mpi *mpi = ENTER(Comm_get_name);
    FIND_COMM(c, comm);

    NEED(name);
    NEED(resultlen);
    *resultlen = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", c->name ? c->name : "");
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ making */

void
comm_gave_null(struct mpi *mpi, bool freed, bool undefined)
{
    mpi->null_call = mpi->call;
    mpi->null_site = mpi->file;
    mpi->null_freed = freed;
    mpi->null_undefined = undefined;
}

/* Give the communicator that the node is in, or MPI_COMM_NULL. */
static int
give(struct mpi *mpi, const struct comm *made, bool undefined, MPI_Comm *newcomm)
{
    *newcomm = made ? made->handle : MPI_COMM_NULL;
    if (!made)
        comm_gave_null(mpi, false, undefined);
    return MPI_SUCCESS;
}

/* Split the communicator by colors, of which PEAL_NO_COLOR is MPI_UNDEFINED if `asked`. */
static int
split(struct mpi *mpi, struct comm *c, int color, int key, bool asked, MPI_Comm *newcomm)
{
    bool undefined = asked && color == PEAL_NO_COLOR;

    if (c->inter)
        return give(mpi, inter_split(mpi, c, color, key), undefined, newcomm);
    struct peal_node *view = comm_split_view(mpi, c, color, key);

    return give(mpi, view ? comm_make(mpi, view, c) : NULL, undefined, newcomm);
}

MPI_FUNCTION(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_split);
    FIND_COMM(c, comm);

    NEED(newcomm);
    if (color < 0 && color != MPI_UNDEFINED)
        return mpi_error(mpi, c, MPI_ERR_ARG, "color is %d: expected 0 or more, or MPI_UNDEFINED", color);
    return split(mpi, c, color == MPI_UNDEFINED ? PEAL_NO_COLOR : color, key, true, newcomm);
}

MPI_FUNCTION(int, Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_split_type);
    FIND_INTRA(c, comm);

    (void)info;
    NEED(newcomm);
    if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
        return mpi_error(mpi, c, MPI_ERR_ARG, "split_type is %d: expected MPI_COMM_TYPE_SHARED or MPI_UNDEFINED",
                         split_type);
    /* MPI_Win_allocate_shared works on every communicator, so all nodes are of one host. */
    return split(mpi, c, split_type == MPI_UNDEFINED ? PEAL_NO_COLOR : 0, key, true, newcomm);
}

int
comm_finish_copy(struct mpi *mpi, struct comm *c, struct comm *copy, MPI_Comm *newcomm)
{
    const struct owner from = comm_owner(c), to = comm_owner(copy);
    int error = attributes_copy(mpi, &from, &to);

    *newcomm = MPI_COMM_NULL;
    if (error) {
        attributes_delete(mpi, &to);
        handle_free(mpi, KIND_COMM, (uintptr_t)copy->handle);
        comm_drop(mpi, copy);
        return mpi_error(mpi, c, error, "an attribute could not be copied");
    }
    if (c->topology)
        copy->topology = topology_copy(mpi, c->topology);
    *newcomm = copy->handle;
    return MPI_SUCCESS;
}

static int
duplicate(struct mpi *mpi, struct comm *c, MPI_Comm *newcomm)
{
    struct comm *copy = c->inter ? inter_copy(mpi, c) : comm_make(mpi, comm_split_view(mpi, c, 0, 0), c);

    return comm_finish_copy(mpi, c, copy, newcomm);
}

MPI_FUNCTION(int, Comm_dup, MPI_Comm comm, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_dup);
    FIND_COMM(c, comm);

    NEED(newcomm);
    return duplicate(mpi, c, newcomm);
}

MPI_FUNCTION(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_dup_with_info);
    FIND_COMM(c, comm);

    (void)info;
    NEED(newcomm);
    return duplicate(mpi, c, newcomm);
}

/* Report it if other nodes than those of the group, in its order, have called with it. */
static void
compare_group(struct mpi *mpi, const struct peal_node *view, const struct mpi_group *g)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 6.4.2: all nodes of a group call MPI_Comm_create with the same group, in the same order",
        "make the group from the same list of ranks on each of its nodes; the others pass one that they are not in"};
    int same = 0;

    while (same < g->size && same < peal_size(view) && peal_rank_in_world(view, same) == group_rank_at(g, same))
        same++;
    if (same < g->size || g->size != peal_size(view))
        mpi_remark(mpi, &(struct remark){.kind = PEAL_COLLECTIVE_MISMATCH, .rule = &rule},
                   "node %d has a group of %d, and those that call with the same first member are %d or have another "
                   "order",
                   peal_world_rank(mpi->me), g->size, peal_size(view));
}

MPI_FUNCTION(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_create);
    FIND_COMM(c, comm);
    const struct mpi_group *g = group_find(mpi, group);

    NEED(newcomm);
    if (!g)
        return mpi_error(mpi, c, MPI_ERR_GROUP, "group %s", handle_wrong(mpi, KIND_GROUP, (uintptr_t)group));
    if (g->rank == MPI_UNDEFINED || c->inter)
        return split(mpi, c, g->rank == MPI_UNDEFINED ? PEAL_NO_COLOR : 0, g->rank == MPI_UNDEFINED ? 0 : g->rank,
                     false, newcomm);
    /* Groups that differ have no member in common: the first member names one. */
    struct peal_node *view = comm_split_view(mpi, c, group_rank_at(g, 0), g->rank);

    compare_group(mpi, view, g);
    return give(mpi, comm_make(mpi, view, c), false, newcomm);
}

MPI_FUNCTION(int, Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_create_group);
    FIND_INTRA(c, comm);
    const struct mpi_group *g = group_find(mpi, group);

    NEED(newcomm);
    *newcomm = MPI_COMM_NULL;
    if (!g)
        return mpi_error(mpi, c, MPI_ERR_GROUP, "group %s", handle_wrong(mpi, KIND_GROUP, (uintptr_t)group));
    if (tag < 0)
        return mpi_error(mpi, c, MPI_ERR_TAG, "tag %d is out of range: expected 0 or more", tag);
    if (g->rank == MPI_UNDEFINED)
        return give(mpi, NULL, false, newcomm);
    int *ranks = group_ranks_in(mpi, g, c);

    if (!ranks)
        return mpi_error(mpi, c, MPI_ERR_GROUP, "the group has a member that is not in the communicator");
    const struct peal_meeting meeting = {.ranks = ranks, .count = g->size, .number = tag, .group = true};
    struct order_meeting *ordered =
        order_meet_some(mpi, c, (uint64_t)group_rank_at(g, 0) << 32 | (uint32_t)tag, g->size);
    struct peal_node *view = peal_meet_at(c->view, &meeting, mpi->file, mpi->line);

    order_met(mpi, c, ordered);

    give(mpi, comm_make(mpi, view, c), false, newcomm);
    mpi_free(mpi, ranks);
    return MPI_SUCCESS;
}

static int
release(struct mpi *mpi, MPI_Comm *comm)
{
    NEED(comm);
    FIND_COMM(c, *comm);
    const struct owner owner = comm_owner(c);

    if (c == mpi->world || c == mpi->self)
        return mpi_error(mpi, c, MPI_ERR_COMM, "%s cannot be freed", c->name);
    int error = attributes_delete(mpi, &owner);

    if (error)
        return mpi_error(mpi, c, error, "an attribute could not be deleted");
    handle_free(mpi, KIND_COMM, (uintptr_t)*comm);
    comm_drop(mpi, c);
    *comm = MPI_COMM_NULL;
    comm_gave_null(mpi, true, false);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_free, MPI_Comm *comm)
{
    struct mpi *mpi = ENTER(Comm_free);

    return release(mpi, comm);
}

MPI_FUNCTION(int, Comm_disconnect, MPI_Comm *comm)
{
    struct mpi *mpi = ENTER(Comm_disconnect);

    NEED(comm);
    FIND_COMM(c, *comm);
    if (c->references > 1)
        return mpi_error(mpi, c, MPI_ERR_COMM, "%d requests of the communicator are not complete", c->references - 1);
    return release(mpi, comm);
}

/* No node was started by others. */
MPI_FUNCTION(int, Comm_get_parent, MPI_Comm *parent)
{
    struct mpi *mpi = ENTER(Comm_get_parent);

    NEED(parent);
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
