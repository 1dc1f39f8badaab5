/* SPDX-License-Identifier: MIT */
/* Groups: lists of ranks in the whole machine. */
#include "mpi/window/win.h"
#include <stdlib.h>
#include <string.h>

static struct mpi_group nobody = {.references = 1, .size = 0, .rank = MPI_UNDEFINED};

struct mpi_group *
group_find(const struct mpi *mpi, MPI_Group handle)
{
    return handle == MPI_GROUP_EMPTY ? &nobody : handle_find(mpi, KIND_GROUP, (uintptr_t)handle);
}

int
group_rank_at(const struct mpi_group *group, int rank)
{
    return group->ranks[rank];
}

#define FIND_GROUP(found, handle)                                                                                      \
    struct mpi_group *found = group_find(mpi, handle);                                                                 \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_GROUP, #handle " %s", handle_wrong(mpi, KIND_GROUP, (uintptr_t)handle))

/* Return from a call with a list of a wrong length, or without one. */
#define CHECK_LIST(n, list)                                                                                            \
    if ((n) < 0)                                                                                                       \
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "n is %d: expected 0 or more", n);                                    \
    if ((n) > 0)                                                                                                       \
    NEED(list)

static int
group_compare_ranks(const void *a, const void *b, void *ranks)
{
    int x = ((const int *)ranks)[*(const int *)a], y = ((const int *)ranks)[*(const int *)b];

    return (x > y) - (x < y);
}

/* The rank in the group of a rank in the machine; MPI_UNDEFINED: it is not a member.  Unless the group has all ranks in
 * order, this searches a sorted list of its ranks, made once. */
static int
group_place(struct mpi *mpi, struct mpi_group *group, int world_rank)
{
    if (group->size == 0) /* all nodes share MPI_GROUP_EMPTY */
        return MPI_UNDEFINED;
    if (world_rank < group->size && group->ranks[world_rank] == world_rank)
        return world_rank;
    if (!group->sorted) {
        group->sorted = mpi_scratch(mpi, (size_t)group->size * sizeof *group->sorted);
        for (int i = 0; i < group->size; i++)
            group->sorted[i] = i;
        qsort_r(group->sorted, (size_t)group->size, sizeof *group->sorted, group_compare_ranks, group->ranks);
    }
    int low = 0, high = group->size;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (group->ranks[group->sorted[middle]] < world_rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group->size && group->ranks[group->sorted[low]] == world_rank ? group->sorted[low] : MPI_UNDEFINED;
}

static void
group_destroy(struct mpi *mpi, struct mpi_group *group)
{
    mpi_free(mpi, group->ranks);
    mpi_free(mpi, group->sorted);
    mpi_free(mpi, group);
}

/* A group of up to `room` members, to be filled. */
static struct mpi_group *
group_new(struct mpi *mpi, int room)
{
    struct mpi_group *group = mpi_alloc(mpi, sizeof *group);

    group->references = 1;
    group->ranks = mpi_scratch(mpi, (size_t)room * sizeof *group->ranks);
    return group;
}

/* The node's own rank in a group, without a sorted list, which may never be needed. */
static int
own_place(const struct mpi *mpi, const struct mpi_group *group)
{
    for (int i = 0; i < group->size; i++)
        if (group->ranks[i] == peal_rank(mpi->me))
            return i;
    return MPI_UNDEFINED;
}

/* Give the filled group a handle. */
static int
group_publish(struct mpi *mpi, struct mpi_group *group, MPI_Group *handle)
{
    if (group->size == 0) {
        group_destroy(mpi, group);
        *handle = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    group->rank = own_place(mpi, group);
    *handle = (MPI_Group)handle_make(mpi, KIND_GROUP, group);
    return MPI_SUCCESS;
}

static struct mpi_group *
group_of_comm(struct mpi *mpi, const struct comm *comm, bool remote)
{
    int size = remote ? comm_peers(comm) : comm->size;
    struct mpi_group *group = group_new(mpi, size);

    for (int i = 0; i < size; i++)
        group->ranks[group->size++] = remote ? comm_peer_world_rank(comm, i) : comm_world_rank(comm, i);
    return group;
}

MPI_FUNCTION(int, Comm_group, MPI_Comm comm, MPI_Group *group)
{
    struct mpi *mpi = ENTER(Comm_group);
    FIND_COMM(c, comm);
    NEED(group);
    return group_publish(mpi, group_of_comm(mpi, c, false), group);
}

MPI_FUNCTION(int, Comm_remote_group, MPI_Comm comm, MPI_Group *group)
{
    struct mpi *mpi = ENTER(Comm_remote_group);
    FIND_COMM(c, comm);

    NEED(group);
    if (!c->inter)
        return mpi_error(mpi, c, MPI_ERR_COMM, "comm is not an intercommunicator");
    return group_publish(mpi, group_of_comm(mpi, c, true), group);
}

MPI_FUNCTION(int, Win_get_group, MPI_Win win, MPI_Group *group)
{
    struct mpi *mpi = ENTER(Win_get_group);
    FIND_WIN(w, win);
    NEED(group);
    return group_publish(mpi, group_of_comm(mpi, w->comm, false), group);
}

MPI_FUNCTION(int, Group_free, MPI_Group *group)
{
    struct mpi *mpi = ENTER(Group_free);

    NEED(group);
    FIND_GROUP(g, *group);
    if (g != &nobody) {
        handle_free(mpi, KIND_GROUP, (uintptr_t)*group);
        group_destroy(mpi, g);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ asking */

MPI_FUNCTION(int, Group_size, MPI_Group group, int *size)
{
    struct mpi *mpi = ENTER(Group_size);
    FIND_GROUP(g, group);
    NEED(size);
    *size = g->size;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Group_rank, MPI_Group group, int *rank)
{
    struct mpi *mpi = ENTER(Group_rank);
    FIND_GROUP(g, group);
    NEED(rank);
    *rank = g->rank;
    return MPI_SUCCESS;
}

static int
group_compare_members(struct mpi *mpi, const struct mpi_group *a, struct mpi_group *b)
{
    bool same = a->size == b->size, similar = same;

    for (int i = 0; i < a->size && similar; i++) {
        same = same && a->ranks[i] == b->ranks[i];
        similar = group_place(mpi, b, a->ranks[i]) != MPI_UNDEFINED;
    }
    return !similar ? MPI_UNEQUAL : same ? MPI_IDENT : MPI_SIMILAR;
}

int
group_compare(struct mpi *mpi, const struct comm *a, const struct comm *b, bool remote)
{
    struct mpi_group *left = group_of_comm(mpi, a, remote), *right = group_of_comm(mpi, b, remote);
    int result = group_compare_members(mpi, left, right);

    group_destroy(mpi, left);
    group_destroy(mpi, right);
    return result;
}

int *
group_ranks_in(struct mpi *mpi, const struct mpi_group *group, struct comm *comm)
{
    int *ranks = mpi_scratch(mpi, (size_t)group->size * sizeof *ranks);
    struct mpi_group *members = group_of_comm(mpi, comm, false);
    bool all = true;

    for (int i = 0; i < group->size; i++) {
        ranks[i] = group_place(mpi, members, group->ranks[i]);
        all = all && ranks[i] != MPI_UNDEFINED;
    }
    group_destroy(mpi, members);
    if (!all)
        mpi_free(mpi, ranks);
    return all ? ranks : NULL;
}

MPI_FUNCTION(int, Group_compare, MPI_Group group1, MPI_Group group2, int *result)
{
    struct mpi *mpi = ENTER(Group_compare);
    FIND_GROUP(a, group1);
    FIND_GROUP(b, group2);
    NEED(result);
    *result = group_compare_members(mpi, a, b);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Group_translate_ranks, MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])
{
    struct mpi *mpi = ENTER(Group_translate_ranks);
    FIND_GROUP(a, group1);
    FIND_GROUP(b, group2);

    CHECK_LIST(n, ranks1);
    CHECK_LIST(n, ranks2);
    for (int i = 0; i < n; i++) {
        if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= a->size))
            return mpi_error(mpi, NULL, MPI_ERR_RANK, "rank %d is out of range: ranks are 0 to %d", ranks1[i],
                             a->size - 1);
        ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : group_place(mpi, b, a->ranks[ranks1[i]]);
    }
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ sets */

/* Add the members of `from` that are in `other` (`in`), or that are not. */
static void
add_members(struct mpi *mpi, struct mpi_group *group, const struct mpi_group *from, struct mpi_group *other, bool in)
{
    for (int i = 0; i < from->size; i++)
        if ((group_place(mpi, other, from->ranks[i]) != MPI_UNDEFINED) == in)
            group->ranks[group->size++] = from->ranks[i];
}

/* Make a group of the members of the first that are in the second (`in`), or that are not; `both`: those of the first,
 * then those of the second alone. */
static int
make_set(struct mpi *mpi, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup, bool both, bool in)
{
    FIND_GROUP(a, group1);
    FIND_GROUP(b, group2);

    NEED(newgroup);
    struct mpi_group *group = group_new(mpi, a->size + (both ? b->size : 0));

    add_members(mpi, group, a, both ? &nobody : b, in);
    if (both)
        add_members(mpi, group, b, a, false);
    return group_publish(mpi, group, newgroup);
}

MPI_CALL(Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup),
         make_set(mpi, group1, group2, newgroup, true, false));
MPI_CALL(Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup),
         make_set(mpi, group1, group2, newgroup, false, true));
MPI_CALL(Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup),
         make_set(mpi, group1, group2, newgroup, false, false));

/* ------------------------------------------------------------------ lists of ranks */

/* The ranks that a call names, in that order; the place of each rank in it, -1 where it is not named. */
struct naming {
    int *order, *place, count;
};

static int
name_rank(struct mpi *mpi, const struct mpi_group *group, int rank, struct naming *naming)
{
    if (rank < 0 || rank >= group->size)
        return mpi_error(mpi, NULL, MPI_ERR_RANK, "rank %d is out of range: ranks are 0 to %d", rank, group->size - 1);
    if (naming->place[rank] >= 0)
        return mpi_error(mpi, NULL, MPI_ERR_RANK, "duplicate rank %d", rank);
    naming->place[rank] = naming->count;
    naming->order[naming->count++] = rank;
    return MPI_SUCCESS;
}

/* Name the ranks of a list, or else of ranges. */
static int
name_all(struct mpi *mpi, const struct mpi_group *group, int n, const int ranks[], int ranges[][3],
         struct naming *naming)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < n && !error; i++) {
        int first = ranks ? ranks[i] : ranges[i][0], last = ranks ? first : ranges[i][1],
            step = ranks ? 1 : ranges[i][2];

        if (step == 0)
            error = mpi_error(mpi, NULL, MPI_ERR_ARG, "range %d has stride 0", i);
        for (long long rank = first; !error && (step > 0 ? rank <= last : rank >= last); rank += step)
            error = name_rank(mpi, group, (int)rank, naming);
    }
    return error;
}

/* Make a group of those that are named, in that order, or of the others. */
static int
group_choose(struct mpi *mpi, const struct mpi_group *from, int n, const int ranks[], int ranges[][3], bool others,
             MPI_Group *newgroup)
{
    NEED(newgroup);
    size_t bytes = ((size_t)from->size + 1) * sizeof(int);
    struct naming naming = {mpi_scratch(mpi, bytes), memset(mpi_scratch(mpi, bytes), -1, bytes), 0};
    int error = name_all(mpi, from, n, ranks, ranges, &naming);
    struct mpi_group *group = error ? NULL : group_new(mpi, from->size);

    for (int i = 0; group && i < (others ? from->size : naming.count); i++)
        if (!others || naming.place[i] < 0)
            group->ranks[group->size++] = from->ranks[others ? i : naming.order[i]];
    mpi_free(mpi, naming.order);
    mpi_free(mpi, naming.place);
    return error ? error : group_publish(mpi, group, newgroup);
}

MPI_FUNCTION(int, Group_incl, MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    struct mpi *mpi = ENTER(Group_incl);
    FIND_GROUP(g, group);
    CHECK_LIST(n, ranks);
    return group_choose(mpi, g, n, ranks, NULL, false, newgroup);
}

MPI_FUNCTION(int, Group_excl, MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    struct mpi *mpi = ENTER(Group_excl);
    FIND_GROUP(g, group);
    CHECK_LIST(n, ranks);
    return group_choose(mpi, g, n, ranks, NULL, true, newgroup);
}

MPI_FUNCTION(int, Group_range_incl, MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    struct mpi *mpi = ENTER(Group_range_incl);
    FIND_GROUP(g, group);
    CHECK_LIST(n, ranges);
    return group_choose(mpi, g, n, NULL, ranges, false, newgroup);
}

MPI_FUNCTION(int, Group_range_excl, MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    struct mpi *mpi = ENTER(Group_range_excl);
    FIND_GROUP(g, group);
    CHECK_LIST(n, ranges);
    return group_choose(mpi, g, n, NULL, ranges, true, newgroup);
}
