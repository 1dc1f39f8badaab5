/* SPDX-License-Identifier: MIT */
/* The calls that name, compare, make and free communicators. */
#include "mpi/comm/attribute.h"
#include "mpi/comm/inter.h"
#include "mpi/strict/happens_before.h"
#include <peal/hints.h>
#include <stdio.h>

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
    comm_set_name(mpi, c, name);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_get_name, MPI_Comm comm, char *name, int *resultlen)
{
    struct mpi *mpi = ENTER(Comm_get_name);
    FIND_COMM(c, comm);
    NEED(name, resultlen);
    *resultlen = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", c->name ? c->name : "");
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ making */

/* Give the communicator that the node is in, or MPI_COMM_NULL. */
static int
comm_give(struct mpi *mpi, const struct comm *made, bool undefined, MPI_Comm *newcomm)
{
    *newcomm = made ? made->handle : MPI_COMM_NULL;
    if (!made)
        comm_gave_null(mpi, false, undefined);
    return MPI_SUCCESS;
}

/* Split the communicator by colors; PEAL_NO_COLOR stands for MPI_UNDEFINED if `asked`. */
static int
comm_split(struct mpi *mpi, struct comm *c, int color, int key, bool asked, MPI_Comm *newcomm)
{
    bool undefined = asked && color == PEAL_NO_COLOR;

    if (c->inter)
        return comm_give(mpi, inter_split(mpi, c, color, key), undefined, newcomm);
    struct peal_node *view = vclock_split(mpi, c, color, key);

    return comm_give(mpi, view ? comm_make(mpi, view, c) : NULL, undefined, newcomm);
}

struct comm *
comm_of_first(struct mpi *mpi, struct comm *c, long long count, MPI_Comm *newcomm)
{
    struct peal_node *view = vclock_split(mpi, c, c->rank < count ? 0 : PEAL_NO_COLOR, c->rank);
    struct comm *made = view ? comm_make(mpi, view, c) : NULL;

    comm_give(mpi, made, false, newcomm);
    return made;
}

MPI_FUNCTION(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_split);
    FIND_COMM(c, comm);

    NEED(newcomm);
    if (color < 0 && color != MPI_UNDEFINED)
        return mpi_error(mpi, c, MPI_ERR_ARG, "color is %d: expected 0 or more, or MPI_UNDEFINED", color);
    return comm_split(mpi, c, color == MPI_UNDEFINED ? PEAL_NO_COLOR : color, key, true, newcomm);
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
    return comm_split(mpi, c, split_type == MPI_UNDEFINED ? PEAL_NO_COLOR : 0, key, true, newcomm);
}

static int
comm_duplicate(struct mpi *mpi, struct comm *c, MPI_Comm *newcomm)
{
    struct comm *copy = c->inter ? inter_copy(mpi, c) : comm_make(mpi, vclock_split(mpi, c, 0, 0), c);

    return comm_finish_copy(mpi, c, copy, newcomm);
}

MPI_FUNCTION(int, Comm_dup, MPI_Comm comm, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_dup);
    FIND_COMM(c, comm);
    NEED(newcomm);
    return comm_duplicate(mpi, c, newcomm);
}

MPI_FUNCTION(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    struct mpi *mpi = ENTER(Comm_dup_with_info);
    FIND_COMM(c, comm);
    NEED(newcomm);
    (void)info;
    return comm_duplicate(mpi, c, newcomm);
}

/* Report it if the nodes that called are not those of the group, in its order. */
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
        return comm_split(mpi, c, g->rank == MPI_UNDEFINED ? PEAL_NO_COLOR : 0, g->rank == MPI_UNDEFINED ? 0 : g->rank,
                          false, newcomm);
    /* Groups that differ have no member in common: the first member names one. */
    struct peal_node *view = vclock_split(mpi, c, group_rank_at(g, 0), g->rank);

    compare_group(mpi, view, g);
    return comm_give(mpi, comm_make(mpi, view, c), false, newcomm);
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
        return comm_give(mpi, NULL, false, newcomm);
    int *ranks = group_ranks_in(mpi, g, c);

    if (!ranks)
        return mpi_error(mpi, c, MPI_ERR_GROUP, "the group has a member that is not in the communicator");
    const struct peal_meeting meeting = {.ranks = ranks, .count = g->size, .number = tag, .group = true};
    struct vclock_meeting *ordered =
        vclock_meet_some(mpi, c, (uint64_t)group_rank_at(g, 0) << 32 | (uint32_t)tag, g->size);
    struct peal_node *view = peal_meet_at(c->view, &meeting, mpi->file, mpi->line);

    vclock_met(mpi, c, ordered);

    comm_give(mpi, comm_make(mpi, view, c), false, newcomm);
    mpi_free(mpi, ranks);
    return MPI_SUCCESS;
}

static int
comm_release(struct mpi *mpi, MPI_Comm *comm)
{
    NEED(comm);
    FIND_COMM(c, *comm);

    if (c == mpi->world || c == mpi->self) {
        peal_advise(mpi->me, PEAL_HINT(free_own));
        return mpi_error(mpi, c, MPI_ERR_COMM, "%s cannot be freed", c->name);
    }
    int error = attributes_delete(mpi, comm_owner(c));

    if (error)
        return mpi_error(mpi, c, error, "an attribute could not be deleted");
    handle_free(mpi, KIND_COMM, (uintptr_t)*comm);
    comm_drop(mpi, c);
    *comm = MPI_COMM_NULL;
    comm_gave_null(mpi, true, false);
    return MPI_SUCCESS;
}

MPI_CALL(Comm_free, (MPI_Comm * comm), comm_release(mpi, comm));

MPI_FUNCTION(int, Comm_disconnect, MPI_Comm *comm)
{
    struct mpi *mpi = ENTER(Comm_disconnect);

    NEED(comm);
    FIND_COMM(c, *comm);
    if (c->references > 1)
        return mpi_error(mpi, c, MPI_ERR_COMM, "%d requests of the communicator are not complete", c->references - 1);
    return comm_release(mpi, comm);
}

/* No node was spawned by others. */
MPI_FUNCTION(int, Comm_get_parent, MPI_Comm *parent)
{
    struct mpi *mpi = ENTER(Comm_get_parent);

    NEED(parent);
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
