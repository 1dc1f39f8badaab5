/* SPDX-License-Identifier: MIT */
/* Vector clocks: what of them goes with messages, meetings and locks. */
#include "mpi/happens_before.h"
#include "mpi/conflict.h"
#include "mpi/finding.h"
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
void
order_turn(struct mpi *mpi)
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
    order_turn(mpi);
    return is_stamped | stamp(mpi, note, synchronous);
}

void
order_received(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited)
{
    bool known = (came->note & is_stamped) && !came->cancelled, asked = false;

    if (known)
        order_turn(mpi);
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
    order_turn(mpi);
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
    order_turn((struct mpi *)(uintptr_t)mpi);
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
    order_turn((struct mpi *)(uintptr_t)mpi);
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

/* ------------------------------------------------------------------ the end */

void
order_end(void)
{
    bool whole = order_try_lock(); /* else a node ended within, and the lists may be half made */

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
