/* SPDX-License-Identifier: MIT */
/* The order that collectives make: nodes that need a node's data leave with what it knew when it entered. */
#include "mpi/comm/topo.h"
#include "mpi/strict/happens_before.h"
#include <stdlib.h>

struct vclock_meeting {
    uint32_t context;
    uint64_t number;
    int size, gone;             /* members; those that have left */
    uint32_t *sum;              /* of all that have given */
    struct vclock_clock **each; /* by rank in the communicator; NULL: nobody gives to only some */
    struct vclock_meeting *next;
};

enum { MEETINGS = 256 };
static struct vclock_meeting *meetings[MEETINGS]; /* guarded by vclock_lock */

static struct vclock_meeting **
meeting_at(uint32_t context, uint64_t number)
{
    struct vclock_meeting **at =
        &meetings[((uint64_t)context * 31 + number) * UINT64_C(0x9E3779B97F4A7C15) >> 56 & (MEETINGS - 1)];

    while (*at && ((*at)->context != context || (*at)->number != number))
        at = &(*at)->next;
    return at;
}

static void
meeting_free(struct vclock_meeting *meeting)
{
    for (int i = 0; i < meeting->size && meeting->each; i++)
        vclock_drop(meeting->each[i]);
    free(meeting->each);
    free(meeting->sum);
    free(meeting);
}

/* With the lock: the meeting, which begins with its first member. */
static struct vclock_meeting *
meeting_of(uint32_t context, uint64_t number, int size)
{
    struct vclock_meeting **at = meeting_at(context, number);

    if (!*at && (*at = calloc(1, sizeof **at)))
        **at = (struct vclock_meeting){.context = context, .number = number, .size = size};
    return *at;
}

/* ------------------------------------------------------------------ who learns from whom */

/* The nodes that a node's data go to, and come from. */
enum { NOBODY, ALL, BEFORE /* those of lower ranks */, LISTED };
struct sides {
    int gives, takes;
};

static struct sides
between_groups(coll_function carry_out, const struct coll_args *a)
{
    bool down = carry_out == coll_broadcast || carry_out == coll_scatter || carry_out == coll_scatterv;
    bool up = carry_out == coll_gather || carry_out == coll_gatherv || carry_out == coll_reduce;

    if (!down && !up)
        return (struct sides){ALL, ALL};
    if (a->root == MPI_PROC_NULL)
        return (struct sides){NOBODY, NOBODY};
    return down == (a->root == MPI_ROOT) ? (struct sides){ALL, NOBODY} : (struct sides){NOBODY, ALL};
}

/* What each collective guarantees: no node waits for nodes whose data it does not get. */
static struct sides
sides_of(const struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    bool root = a && c->rank == a->root;
    int given, taken;

    if (!a || carry_out == coll_barrier)
        return (struct sides){ALL, ALL};
    if (c->inter)
        return between_groups(carry_out, a);
    if (carry_out == coll_gather || carry_out == coll_gatherv)
        return root ? (struct sides){NOBODY, ALL} : (struct sides){a->send.count > 0 ? ALL : NOBODY, NOBODY};
    if (carry_out == coll_alltoallw || carry_out == coll_neighbours || (carry_out == coll_alltoall && a->unequal))
        return (struct sides){LISTED, LISTED};
    /* from here on all nodes pass the counts of received blocks, listed by rank */
    given = taken = side_count(&a->receive, c->rank) > 0 ? ALL : NOBODY;
    if (carry_out == coll_broadcast)
        return root ? (struct sides){given, NOBODY} : (struct sides){NOBODY, taken};
    if (carry_out == coll_scatter || carry_out == coll_scatterv)
        return root ? (struct sides){ALL, NOBODY} : (struct sides){NOBODY, taken};
    if (carry_out == coll_reduce)
        return root ? (struct sides){NOBODY, taken} : (struct sides){given, NOBODY};
    if (carry_out == coll_reduce_everywhere && a->which != PEAL_ALLREDUCE)
        return (struct sides){given ? LISTED : NOBODY, taken ? BEFORE : NOBODY};
    if (carry_out == coll_reduce_blocks)
        return (struct sides){ALL, taken};
    if (carry_out == coll_allgather)
        return (struct sides){given, ALL};
    return (struct sides){given, taken};
}

static void
meeting_give(struct vclock_meeting *meeting, const struct comm *c, int node, int gives)
{
    if (gives == ALL)
        vclock_add_node(&meeting->sum, node);
    if (gives == LISTED && !meeting->each)
        meeting->each = calloc((size_t)meeting->size, sizeof(struct vclock_clock *));
    if (gives == LISTED && meeting->each && !meeting->each[c->rank])
        meeting->each[c->rank] = vclock_give(node);
}

static void
meeting_take_from(const struct vclock_meeting *meeting, int node, int rank)
{
    if (rank >= 0 && rank < meeting->size && meeting->each && meeting->each[rank])
        vclock_take(node, meeting->each[rank]->of);
}

static void
meeting_take(struct mpi *mpi, const struct vclock_meeting *meeting, const struct comm *c, int takes,
             coll_function carry_out, const struct coll_args *a, const struct neighbours *near)
{
    int node = peal_world_rank(mpi->me);

    if (takes == ALL)
        vclock_take(node, meeting->sum);
    for (int i = 0; i < c->rank && takes == BEFORE; i++)
        meeting_take_from(meeting, node, i);
    for (int i = 0; takes == LISTED && i < (carry_out == coll_neighbours ? near->in : meeting->size); i++)
        if (side_count(&a->receive, i) > 0)
            meeting_take_from(meeting, node, carry_out == coll_neighbours ? near->sources[i] : i);
}

static struct vclock_meeting *
meeting_arrive(struct mpi *mpi, const struct comm *c, uint64_t number, int size, int gives)
{
    vclock_turn(mpi);
    vclock_lock();
    struct vclock_meeting *meeting = meeting_of(peal_context(c->view), number, size);

    if (meeting)
        meeting_give(meeting, c, peal_world_rank(mpi->me), gives);
    vclock_unlock();
    if (!meeting)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory for a clock");
    return meeting;
}

static void
meeting_leave(struct mpi *mpi, const struct comm *c, int takes, coll_function carry_out, const struct coll_args *a,
              struct vclock_meeting *meeting)
{
    struct neighbours near = {0};
    bool finds = takes == LISTED && carry_out == coll_neighbours && neighbours_find(mpi, c, &near);

    vclock_turn(mpi);
    vclock_lock();
    meeting_take(mpi, meeting, c, takes, carry_out, a, &near);
    if (++meeting->gone == meeting->size) {
        *meeting_at(meeting->context, meeting->number) = meeting->next;
        meeting_free(meeting);
    }
    vclock_unlock();
    if (finds)
        neighbours_fini(mpi, &near);
}

/* The nodes of both sides call a collective between two groups. */
static int
meeting_size(const struct comm *c)
{
    return c->inter ? c->size + c->inter->remote_size : c->size;
}

struct vclock_meeting *
vclock_come(struct mpi *mpi, struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    uint64_t number = c->collectives++;

    return vclock_is_kept() ? meeting_arrive(mpi, c, number, meeting_size(c), sides_of(c, carry_out, a).gives) : NULL;
}

void
vclock_go(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
          struct vclock_meeting *meeting)
{
    if (meeting)
        meeting_leave(mpi, c, sides_of(c, carry_out, a).takes, carry_out, a, meeting);
}

struct vclock_meeting *
vclock_meet(struct mpi *mpi, struct comm *c)
{
    return vclock_come(mpi, c, coll_barrier, NULL);
}

struct vclock_meeting *
vclock_meet_some(struct mpi *mpi, const struct comm *c, uint64_t number, int size)
{
    return vclock_is_kept() ? meeting_arrive(mpi, c, UINT64_C(1) << 63 | number, size, ALL) : NULL;
}

void
vclock_met(struct mpi *mpi, const struct comm *c, struct vclock_meeting *meeting)
{
    if (meeting)
        meeting_leave(mpi, c, ALL, coll_barrier, NULL, meeting);
}

struct peal_node *
vclock_split(struct mpi *mpi, struct comm *comm, int color, int key)
{
    struct vclock_meeting *meeting = vclock_meet(mpi, comm);
    struct peal_node *view = peal_split_at(comm->view, color, key, mpi->file, mpi->line);

    vclock_met(mpi, comm, meeting);
    return view;
}

void
meetings_end(bool whole)
{
    for (int i = 0; i < MEETINGS; i++) {
        while (meetings[i] && whole) {
            struct vclock_meeting *gone = meetings[i];

            meetings[i] = gone->next;
            meeting_free(gone);
        }
        meetings[i] = NULL;
    }
}
