/* SPDX-License-Identifier: MIT */
/* Vector clocks: what of them goes with messages, meetings and locks. */
#include "mpi/happens_before.h"
#include "mpi/conflict.h"
#include "mpi/finding.h"
#include "mpi/inter.h"
#include "mpi/topo.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A node's clock is written by its node alone, and read by others. */
struct order_node {
    struct order_clock *last; /* what it has given, while it knows nothing else; NULL */
    bool given;               /* its time: what it does next is later */
    bool active;              /* it has made a window, and may still access one */
    uint32_t turns;
};

/* A message with a clock. */
struct stamped {
    uint64_t note;
    struct order_clock *clock; /* NULL: free, and note is the next free one */
    bool synchronous;          /* its send gets the receive's */
};

atomic_bool order_kept;
static atomic_flag locked = ATOMIC_FLAG_INIT;
static struct order_node *nodes; /* by rank in the machine, as the clocks are */
static _Atomic uint32_t *clocks;
static int node_count;
static struct stamped *stamped;
static size_t stamped_count, stamped_free; /* 0: none; counted from 1 */

enum { MEETINGS = 256 };
static struct order_meeting *meetings[MEETINGS];

void
order_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        sched_yield();
}

void
order_unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

bool
order_try_lock(void)
{
    return !atomic_flag_test_and_set_explicit(&locked, memory_order_acquire);
}

void
order_begin(int count)
{
    node_count = count;
    atomic_store(&order_kept, false);
}

/* ------------------------------------------------------------------ clocks */

void
order_start(struct mpi *mpi)
{
    bool made = true;

    if (!finding_strict())
        return;
    order_lock();
    if (!nodes) {
        nodes = calloc((size_t)node_count, sizeof *nodes);
        clocks = calloc((size_t)node_count * (size_t)node_count, sizeof *clocks);
        made = nodes && clocks;
        for (int i = 0; i < node_count && made; i++)
            atomic_store_explicit(&clocks[(size_t)i * (size_t)node_count + (size_t)i], 1, memory_order_relaxed);
    }
    if (made)
        nodes[peal_world_rank(mpi->me)].active = true;
    order_unlock();
    if (!made)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory for the clocks of %d nodes", node_count);
    atomic_store(&order_kept, true);
}

void
order_leave(const struct mpi *mpi)
{
    if (order_is_kept())
        nodes[peal_world_rank(mpi->me)].active = false;
}

const _Atomic uint32_t *
order_clock_of(int node)
{
    return &clocks[(size_t)node * (size_t)node_count];
}

static _Atomic uint32_t *
component(int node, int of)
{
    return &clocks[(size_t)node * (size_t)node_count + (size_t)of];
}

static uint32_t
value(const _Atomic uint32_t *component)
{
    return atomic_load_explicit(component, memory_order_relaxed);
}

/* The node comes to know more, or does something: what it gives next is another clock. */
static void
advance(int node)
{
    struct order_node *of = &nodes[node];

    if (of->given)
        atomic_store_explicit(component(node, node), value(component(node, node)) + 1, memory_order_relaxed);
    of->given = false;
    order_drop(of->last);
    of->last = NULL;
}

uint32_t
order_time(int node)
{
    if (nodes[node].given)
        advance(node);
    return value(component(node, node));
}

uint32_t
order_turns(int node)
{
    return nodes[node].turns;
}

bool
order_is_past(int node, uint32_t time)
{
    for (int i = 0; i < node_count; i++)
        if (nodes[i].active && value(component(i, node)) < time)
            return false;
    return true;
}

struct order_clock *
order_give(int node)
{
    struct order_node *of = &nodes[node];

    if (!of->last) {
        of->last = malloc(sizeof *of->last + (size_t)node_count * sizeof *of->last->of);
        if (!of->last)
            return NULL;
        of->last->references = 1;
        for (int i = 0; i < node_count; i++)
            of->last->of[i] = value(component(node, i));
    }
    of->given = true;
    of->last->references++;
    return of->last;
}

void
order_drop(struct order_clock *clock)
{
    if (clock && --clock->references == 0)
        free(clock);
}

void
order_add(uint32_t **sum, const uint32_t *clock)
{
    if (!*sum)
        *sum = calloc((size_t)node_count, sizeof **sum);
    for (int i = 0; i < node_count && *sum; i++)
        if ((*sum)[i] < clock[i])
            (*sum)[i] = clock[i];
}

void
order_add_node(uint32_t **sum, int node)
{
    struct order_clock *clock = order_give(node);

    if (clock)
        order_add(sum, clock->of);
    order_drop(clock);
}

void
order_take(int node, const uint32_t *clock)
{
    bool changed = false;

    for (int i = 0; i < node_count && clock; i++) {
        _Atomic uint32_t *own = component(node, i);

        if (value(own) >= clock[i])
            continue;
        if (!changed)
            advance(node);
        changed = true;
        atomic_store_explicit(own, clock[i], memory_order_relaxed);
    }
}

/* The node orders itself with others: polling ends. */
static void
turn(struct mpi *mpi)
{
    nodes[peal_world_rank(mpi->me)].turns++;
    conflict_settle(mpi);
}

/* ------------------------------------------------------------------ messages */

static const uint64_t is_stamped = UINT64_C(1) << 63, is_awaited = UINT64_C(1) << 62;

/* A place for a message; 0 without memory. */
static size_t
stamped_place(void)
{
    size_t place = stamped_free;

    if (place == 0) {
        size_t room = stamped_count ? 2 * stamped_count : 64;
        struct stamped *more = realloc(stamped, room * sizeof *more);

        if (!more)
            return 0;
        stamped = more;
        for (size_t i = room; i-- > stamped_count;) {
            stamped[i] = (struct stamped){stamped_free, NULL, false};
            stamped_free = i + 1;
        }
        stamped_count = room;
        place = stamped_free;
    }
    stamped_free = (size_t)stamped[place - 1].note;
    return place;
}

static void
stamped_leave(size_t place)
{
    order_drop(stamped[place - 1].clock);
    stamped[place - 1] = (struct stamped){stamped_free, NULL, false};
    stamped_free = place;
}

/* A message, or a receive, with the node's clock. */
static size_t
stamp(struct mpi *mpi, uint64_t note, bool synchronous)
{
    int node = peal_world_rank(mpi->me);

    order_lock();
    struct order_clock *clock = order_give(node);
    size_t place = clock ? stamped_place() : 0;

    if (place)
        stamped[place - 1] = (struct stamped){note, clock, synchronous};
    else
        order_drop(clock);
    order_unlock();
    if (!place)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory for a clock");
    return place;
}

uint64_t
order_sent(struct mpi *mpi, uint64_t note, bool synchronous)
{
    turn(mpi);
    return is_stamped | stamp(mpi, note, synchronous);
}

void
order_received(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited)
{
    bool known = (came->note & is_stamped) && !came->cancelled, asked = false;

    if (known)
        turn(mpi);
    order_lock();
    if (known) {
        size_t place = (size_t)(came->note & ~is_stamped);
        const struct stamped *message = &stamped[place - 1];

        came->note = message->note;
        asked = message->synchronous;
        order_take(peal_world_rank(mpi->me), message->clock->of);
        if (last)
            stamped_leave(place);
    }
    if (awaited && !asked) /* else its sender has it */
        stamped_leave((size_t)(awaited & ~is_awaited));
    order_unlock();
}

uint64_t
order_await(struct mpi *mpi)
{
    return order_is_kept() ? is_awaited | stamp(mpi, 0, false) : 0;
}

void
order_was_received(struct mpi *mpi, const struct peal_envelope *sent)
{
    if (!(sent->note & is_awaited) || sent->note & is_stamped)
        return;
    turn(mpi);
    order_lock();
    size_t place = (size_t)(sent->note & ~is_awaited);

    order_take(peal_world_rank(mpi->me), stamped[place - 1].clock->of);
    stamped_leave(place);
    order_unlock();
}

/* ------------------------------------------------------------------ locks */

void
order_locked(const struct mpi *mpi, const struct order_locks *locks, bool shared)
{
    if (!order_is_kept())
        return;
    turn((struct mpi *)(uintptr_t)mpi);
    order_lock();
    order_take(peal_world_rank(mpi->me), shared ? locks->exclusive : locks->all);
    order_unlock();
}

void
order_unlocks(const struct mpi *mpi, struct order_locks *locks, bool shared)
{
    int node = peal_world_rank(mpi->me);

    if (!order_is_kept())
        return;
    turn((struct mpi *)(uintptr_t)mpi);
    order_lock();
    order_add_node(&locks->all, node);
    if (!shared)
        order_add_node(&locks->exclusive, node);
    order_unlock();
}

void
order_locks_fini(struct order_locks *locks)
{
    free(locks->all);
    free(locks->exclusive);
    *locks = (struct order_locks){NULL, NULL};
}

/* ------------------------------------------------------------------ meetings */

struct order_meeting {
    uint32_t context;
    uint64_t number;
    int size, gone;            /* members; those that have left */
    uint32_t *sum;             /* of all that have given */
    struct order_clock **each; /* by rank in the communicator; NULL: nobody gives to some only */
    struct order_meeting *next;
};

static struct order_meeting **
meeting_at(uint32_t context, uint64_t number)
{
    struct order_meeting **at =
        &meetings[((uint64_t)context * 31 + number) * UINT64_C(0x9E3779B97F4A7C15) >> 56 & (MEETINGS - 1)];

    while (*at && ((*at)->context != context || (*at)->number != number))
        at = &(*at)->next;
    return at;
}

static void
meeting_free(struct order_meeting *meeting)
{
    for (int i = 0; i < meeting->size && meeting->each; i++)
        order_drop(meeting->each[i]);
    free(meeting->each);
    free(meeting->sum);
    free(meeting);
}

/* With the lock: the meeting, which begins with its first member. */
static struct order_meeting *
meeting_of(uint32_t context, uint64_t number, int size)
{
    struct order_meeting **at = meeting_at(context, number);

    if (!*at && (*at = calloc(1, sizeof **at)))
        **at = (struct order_meeting){.context = context, .number = number, .size = size};
    return *at;
}

/* Whom a node's data go to, and come from. */
enum { NOBODY, ALL, BEFORE /* those of lower ranks */, LISTED };
struct sides {
    int gives, takes;
};

static bool
has(const int *counts, int i, int count)
{
    return (counts ? counts[i] : count) > 0;
}

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

/* What each guarantees: nobody waits for those whose data it does not get. */
static struct sides
sides_of(const struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    bool root = a && c->rank == a->root;
    int given, taken;

    if (!a || carry_out == coll_barrier)
        return (struct sides){ALL, ALL};
    if (c->inter)
        return between_groups(carry_out, a);
    given = taken = has(a->receive_counts, c->rank, a->receive_count) ? ALL : NOBODY;
    if (carry_out == coll_broadcast)
        return root ? (struct sides){given, NOBODY} : (struct sides){NOBODY, taken};
    if (carry_out == coll_scatter || carry_out == coll_scatterv)
        return root ? (struct sides){ALL, NOBODY} : (struct sides){NOBODY, taken};
    if (carry_out == coll_gather || carry_out == coll_gatherv)
        return root ? (struct sides){NOBODY, ALL} : (struct sides){a->send_count > 0 ? ALL : NOBODY, NOBODY};
    if (carry_out == coll_reduce)
        return root ? (struct sides){NOBODY, taken} : (struct sides){given, NOBODY};
    if (carry_out == coll_reduce_everywhere && a->which != PEAL_ALLREDUCE)
        return (struct sides){given ? LISTED : NOBODY, taken ? BEFORE : NOBODY};
    if (carry_out == coll_reduce_blocks)
        return (struct sides){ALL, taken};
    if (carry_out == coll_allgather)
        return (struct sides){given, ALL};
    if (carry_out == coll_alltoallw || carry_out == coll_neighbours || (carry_out == coll_alltoall && a->unequal))
        return (struct sides){LISTED, LISTED};
    return (struct sides){given, taken};
}

static void
give(struct order_meeting *meeting, const struct comm *c, int node, int gives)
{
    if (gives == ALL)
        order_add_node(&meeting->sum, node);
    if (gives == LISTED && !meeting->each)
        meeting->each = calloc((size_t)meeting->size, sizeof(struct order_clock *));
    if (gives == LISTED && meeting->each && !meeting->each[c->rank])
        meeting->each[c->rank] = order_give(node);
}

static void
take_from(const struct order_meeting *meeting, int node, int rank)
{
    if (rank >= 0 && rank < meeting->size && meeting->each && meeting->each[rank])
        order_take(node, meeting->each[rank]->of);
}

static void
take(struct mpi *mpi, const struct order_meeting *meeting, const struct comm *c, int takes, coll_function carry_out,
     const struct coll_args *a, const struct neighbours *near)
{
    int node = peal_world_rank(mpi->me);

    if (takes == ALL)
        order_take(node, meeting->sum);
    for (int i = 0; i < c->rank && takes == BEFORE; i++)
        take_from(meeting, node, i);
    for (int i = 0; takes == LISTED && i < (carry_out == coll_neighbours ? near->in : meeting->size); i++)
        if (has(a->receive_counts, i, a->receive_count))
            take_from(meeting, node, carry_out == coll_neighbours ? near->sources[i] : i);
}

static struct order_meeting *
come(struct mpi *mpi, const struct comm *c, uint64_t number, int size, int gives)
{
    turn(mpi);
    order_lock();
    struct order_meeting *meeting = meeting_of(peal_context(c->view), number, size);

    if (meeting)
        give(meeting, c, peal_world_rank(mpi->me), gives);
    order_unlock();
    if (!meeting)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory for a clock");
    return meeting;
}

static void
go(struct mpi *mpi, const struct comm *c, int takes, coll_function carry_out, const struct coll_args *a,
   struct order_meeting *meeting)
{
    struct neighbours near = {0};
    bool finds = takes == LISTED && carry_out == coll_neighbours && neighbours_find(mpi, c, &near);

    turn(mpi);
    order_lock();
    take(mpi, meeting, c, takes, carry_out, a, &near);
    if (++meeting->gone == meeting->size) {
        *meeting_at(meeting->context, meeting->number) = meeting->next;
        meeting_free(meeting);
    }
    order_unlock();
    if (finds)
        neighbours_fini(mpi, &near);
}

/* The nodes of both sides call a collective between two groups. */
static int
size_of(const struct comm *c)
{
    return c->inter ? c->size + c->inter->remote_size : c->size;
}

struct order_meeting *
order_come(struct mpi *mpi, struct comm *c, coll_function carry_out, const struct coll_args *a)
{
    uint64_t number = c->collectives++;

    return order_is_kept() ? come(mpi, c, number, size_of(c), sides_of(c, carry_out, a).gives) : NULL;
}

void
order_go(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
         struct order_meeting *meeting)
{
    if (meeting)
        go(mpi, c, sides_of(c, carry_out, a).takes, carry_out, a, meeting);
}

struct order_meeting *
order_meet(struct mpi *mpi, struct comm *c)
{
    return order_come(mpi, c, coll_barrier, NULL);
}

struct order_meeting *
order_meet_some(struct mpi *mpi, const struct comm *c, uint64_t number, int size)
{
    return order_is_kept() ? come(mpi, c, UINT64_C(1) << 63 | number, size, ALL) : NULL;
}

void
order_met(struct mpi *mpi, const struct comm *c, struct order_meeting *meeting)
{
    if (meeting)
        go(mpi, c, ALL, coll_barrier, NULL, meeting);
}

/* ------------------------------------------------------------------ the end */

void
order_end(void)
{
    bool whole = order_try_lock(); /* else a node ended within, and the lists may be half made */

    for (int i = 0; i < MEETINGS; i++) {
        while (meetings[i] && whole) {
            struct order_meeting *gone = meetings[i];

            meetings[i] = gone->next;
            meeting_free(gone);
        }
        meetings[i] = NULL;
    }
    for (size_t i = 0; i < stamped_count && whole; i++)
        order_drop(stamped[i].clock);
    for (int i = 0; i < node_count && nodes && whole; i++)
        order_drop(nodes[i].last);
    free(stamped);
    free(nodes);
    free(clocks);
    stamped = NULL;
    stamped_count = stamped_free = 0;
    nodes = NULL;
    clocks = NULL;
    atomic_store(&order_kept, false);
    order_unlock();
}
