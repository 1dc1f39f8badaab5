/* SPDX-License-Identifier: MIT */
/* Making intercommunicators, out of two groups or out of another one, and merging their groups.  All of it is free:
 * members only meet. */
#include "mpi/comm/inter.h"
#include "mpi/strict/happens_before.h"
#include <stdlib.h>
#include <string.h>

/* Numbers of meetings: negative, unlike tags of MPI_Comm_create_group. */
enum { MEET_PAIR = -1, MEET_BOTH = -2 };

static int
leaders_number(int tag)
{
    return ~tag;
}

/* ------------------------------------------------------------------ objects */

struct comm *
inter_make(struct mpi *mpi, struct peal_node *view, struct peal_node *local, int low, const struct comm *parent)
{
    struct comm *comm = comm_make(mpi, view, parent);
    struct inter *inter = mpi_alloc(mpi, sizeof *inter);
    bool is_low = peal_rank(view) < low;

    *inter = (struct inter){.local = comm_without_handle(mpi, local, parent),
                            .remote_size = is_low ? peal_size(view) - low : low,
                            .first_local = is_low ? 0 : low,
                            .first_remote = is_low ? low : 0};
    comm->inter = inter;
    comm->rank = peal_rank(local);
    comm->size = peal_size(local);
    return comm;
}

/* ------------------------------------------------------------------ from two groups */

/* The ranks in the whole machine of one side. */
struct inter_side {
    int size;
    int *ranks;
};

/* Leaders send each other the ranks of their side. */
static struct inter_side
exchange_sides(struct mpi *mpi, const struct comm *peers, int remote_leader, int tag, const struct inter_side *mine)
{
    int own = peers->rank, low = own < remote_leader ? own : remote_leader, other = own == low;
    const int pair[2] = {low, own + remote_leader - low};
    int sizes[2] = {0, 0};
    struct peal_meeting meeting = {.ranks = pair,
                                   .count = 2,
                                   .number = leaders_number(tag),
                                   .mine = &mine->size,
                                   .all = sizes,
                                   .bytes = sizeof(int)};

    peal_meet_at(peers->view, &meeting, mpi->file, mpi->line);
    size_t most = (size_t)(sizes[0] > sizes[1] ? sizes[0] : sizes[1]);
    int *brought = mpi_alloc(mpi, most * sizeof(int)), *all = mpi_scratch(mpi, 2 * most * sizeof(int));
    struct inter_side remote = {sizes[other], mpi_scratch(mpi, (size_t)sizes[other] * sizeof(int))};

    memcpy(brought, mine->ranks, (size_t)mine->size * sizeof(int));
    meeting.mine = brought;
    meeting.all = all;
    meeting.bytes = most * sizeof(int);
    peal_meet_at(peers->view, &meeting, mpi->file, mpi->line);
    memcpy(remote.ranks, all + (other ? most : 0), (size_t)remote.size * sizeof(int));
    mpi_free(mpi, brought);
    mpi_free(mpi, all);
    return remote;
}

/* Give `bytes` bytes of the root to all nodes of the group, in meetings of two. */
static void
inter_spread_in_pairs(struct mpi *mpi, const struct comm *comm, int root, void *data, size_t bytes)
{
    int size = comm->size, place = (comm->rank - root + size) % size;
    char *both = mpi_scratch(mpi, 2 * bytes);

    for (int step = 1; step < size; step *= 2) {
        int partner = place < step ? place + step : place - step;

        if (place >= 2 * step || partner >= size)
            continue;
        const int pair[2] = {(root + (place < step ? place : partner)) % size,
                             (root + (place < step ? partner : place)) % size};

        peal_meet_at(comm->view,
                     &(struct peal_meeting){
                         .ranks = pair, .count = 2, .number = MEET_PAIR, .mine = data, .all = both, .bytes = bytes},
                     mpi->file, mpi->line);
        if (place >= step)
            memcpy(data, both, bytes);
    }
    mpi_free(mpi, both);
}

static int
inter_compare_ranks(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* A rank that is on both sides; -1: there is none. */
static int
common_rank(struct mpi *mpi, const struct inter_side *a, const struct inter_side *b)
{
    size_t count = (size_t)a->size;
    int *sorted = mpi_scratch(mpi, count * sizeof *sorted), found = -1;

    memcpy(sorted, a->ranks, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, inter_compare_ranks);
    for (int i = 0; i < b->size && found < 0; i++)
        if (bsearch(&b->ranks[i], sorted, count, sizeof *sorted, inter_compare_ranks))
            found = b->ranks[i];
    mpi_free(mpi, sorted);
    return found;
}

/* The side with the lowest rank has the first ranks. */
static struct comm *
inter_join(struct mpi *mpi, struct comm *local, const struct inter_side *mine, const struct inter_side *other)
{
    int least_mine = mine->ranks[0], least_other = other->ranks[0];

    for (int i = 0; i < mine->size; i++)
        least_mine = mine->ranks[i] < least_mine ? mine->ranks[i] : least_mine;
    for (int i = 0; i < other->size; i++)
        least_other = other->ranks[i] < least_other ? other->ranks[i] : least_other;
    const struct inter_side *low = least_mine < least_other ? mine : other, *high = low == mine ? other : mine;
    int *ranks = mpi_scratch(mpi, (size_t)(low->size + high->size) * sizeof *ranks);

    memcpy(ranks, low->ranks, (size_t)low->size * sizeof *ranks);
    memcpy(ranks + low->size, high->ranks, (size_t)high->size * sizeof *ranks);
    const struct peal_meeting meeting = {
        .ranks = ranks, .count = low->size + high->size, .number = MEET_BOTH, .group = true};
    struct peal_node *view = peal_meet_at(mpi->me, &meeting, mpi->file, mpi->line);

    mpi_free(mpi, ranks);
    return inter_make(mpi, view, vclock_split(mpi, local, 0, 0), low->size, local);
}

/* Check the leader's arguments; those of other nodes do not count. */
static int
check_leader(struct mpi *mpi, MPI_Comm peer_comm, int remote_leader, struct comm **peers)
{
    FIND_INTRA(p, peer_comm);
    if (remote_leader < 0 || remote_leader >= p->size || remote_leader == p->rank)
        return mpi_error(mpi, p, MPI_ERR_RANK, "remote_leader is %d: expected another rank of peer_comm, from 0 to %d",
                         remote_leader, p->size - 1);
    *peers = p;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Intercomm_create, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader,
             int tag, MPI_Comm *newintercomm)
{
    struct mpi *mpi = ENTER(Intercomm_create);
    FIND_INTRA(c, local_comm);
    struct comm *peers = NULL;
    int error = MPI_SUCCESS;

    NEED(newintercomm);
    if (local_leader < 0 || local_leader >= c->size)
        return mpi_error(mpi, c, MPI_ERR_RANK, "local_leader %d is out of range: ranks are 0 to %d", local_leader,
                         c->size - 1);
    if (tag < 0)
        return mpi_error(mpi, c, MPI_ERR_TAG, "tag %d is out of range: expected 0 or more", tag);
    bool leads = c->rank == local_leader;

    if (leads)
        error = check_leader(mpi, peer_comm, remote_leader, &peers);
    if (error)
        return error;
    struct inter_side mine = {c->size, mpi_scratch(mpi, (size_t)c->size * sizeof(int))}, other = {0, NULL};

    for (int i = 0; i < c->size; i++)
        mine.ranks[i] = comm_world_rank(c, i);
    if (leads)
        other = exchange_sides(mpi, peers, remote_leader, tag, &mine);
    inter_spread_in_pairs(mpi, c, local_leader, &other.size, sizeof other.size);
    if (!leads)
        other.ranks = mpi_scratch(mpi, (size_t)other.size * sizeof(int));
    inter_spread_in_pairs(mpi, c, local_leader, other.ranks, (size_t)other.size * sizeof(int));
    int both = common_rank(mpi, &mine, &other);

    if (both >= 0)
        error = mpi_error(mpi, c, MPI_ERR_COMM, "node %d is on both sides", both);
    else
        *newintercomm = inter_join(mpi, c, &mine, &other)->handle;
    mpi_free(mpi, mine.ranks);
    mpi_free(mpi, other.ranks);
    return error;
}

/* ------------------------------------------------------------------ out of another one */

struct comm *
inter_copy(struct mpi *mpi, struct comm *comm)
{
    const struct inter *inter = comm->inter;
    struct peal_node *view = vclock_split(mpi, comm, 0, 0);

    return inter_make(mpi, view, vclock_split(mpi, inter->local, 0, 0), inter_low(comm), comm);
}

struct inter_choice {
    int color, key;
};

struct comm *
inter_split(struct mpi *mpi, struct comm *comm, int color, int key)
{
    const struct inter *inter = comm->inter;
    int low = inter_low(comm), all = comm->size + inter->remote_size, me = comm->rank + inter->first_local, place = 0,
        sizes[2] = {0, 0};
    struct inter_choice mine = {color, key}, *choices = mpi_scratch(mpi, (size_t)all * sizeof *choices);

    peal_meet_at(comm->view, &(struct peal_meeting){.mine = &mine, .all = choices, .bytes = sizeof mine}, mpi->file,
                 mpi->line);
    for (int i = 0; i < all && color != PEAL_NO_COLOR; i++) {
        bool before = (i >= low) < (me >= low) ||
                      ((i >= low) == (me >= low) && (choices[i].key < key || (choices[i].key == key && i < me)));

        if (choices[i].color != color)
            continue;
        sizes[i >= low]++;
        place += before;
    }
    mpi_free(mpi, choices);
    if (!sizes[0] || !sizes[1])
        color = PEAL_NO_COLOR;
    struct peal_node *view = vclock_split(mpi, comm, color, place),
                     *local = vclock_split(mpi, inter->local, color, key);

    return view ? inter_make(mpi, view, local, sizes[0], comm) : NULL;
}

/* ------------------------------------------------------------------ asking */

#define FIND_INTER(found, handle)                                                                                      \
    FIND_COMM(found, handle);                                                                                          \
    if (!found->inter)                                                                                                 \
    return mpi_error(mpi, found, MPI_ERR_COMM, #handle " is not an intercommunicator")

MPI_FUNCTION(int, Comm_test_inter, MPI_Comm comm, int *flag)
{
    struct mpi *mpi = ENTER(Comm_test_inter);
    FIND_COMM(c, comm);
    NEED(flag);
    *flag = c->inter != NULL;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_remote_size, MPI_Comm comm, int *size)
{
    struct mpi *mpi = ENTER(Comm_remote_size);
    FIND_INTER(c, comm);
    NEED(size);
    *size = c->inter->remote_size;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ to one group */

MPI_FUNCTION(int, Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
    struct mpi *mpi = ENTER(Intercomm_merge);
    FIND_INTER(c, intercomm);
    const struct inter *inter = c->inter;
    int all = c->size + inter->remote_size, *highs = mpi_scratch(mpi, (size_t)all * sizeof *highs), mine = high != 0;

    NEED(newintracomm);
    peal_meet_at(c->view, &(struct peal_meeting){.mine = &mine, .all = highs, .bytes = sizeof mine}, mpi->file,
                 mpi->line);
    bool same = true, remote_high = highs[inter->first_remote];

    for (int i = 0; i < c->size; i++)
        same = same && highs[inter->first_local + i] == mine;
    mpi_free(mpi, highs);
    if (!same)
        return mpi_error(mpi, c, MPI_ERR_ARG, "high differs between nodes of one side");
    /* With the same `high` on both sides, their order is that of the intercommunicator's view. */
    bool behind = mine == remote_high ? inter->first_local > 0 : mine;

    *newintracomm = comm_make(mpi, vclock_split(mpi, c, 0, behind ? all + c->rank : c->rank), c)->handle;
    return MPI_SUCCESS;
}
