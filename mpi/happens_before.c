/* SPDX-License-Identifier: MIT */
/* Vector clocks: what each node knows about the others. */
#include "mpi/happens_before.h"
#include "mpi/finding.h"
#include <sched.h>
#include <stdlib.h>

/* A node's clock is written by its node alone, and read by others. */
struct order_node {
    struct order_clock *last; /* the clock that it gave last, while it has learnt nothing since; NULL */
    bool given;               /* it has given its present time: what it does next is later */
    bool active;              /* it has made a window, and may still access one */
    uint32_t turns;
};

atomic_bool order_kept;
static atomic_flag locked = ATOMIC_FLAG_INIT;
static struct order_node *nodes; /* by rank in the machine, as the clocks are */
static _Atomic uint32_t *clocks;
static int node_count;

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

static _Atomic uint32_t *
component(int node, int of)
{
    return &clocks[(size_t)node * (size_t)node_count + (size_t)of];
}

uint32_t
order_known(int node, int of)
{
    return atomic_load_explicit(component(node, of), memory_order_relaxed);
}

/* The node learns something, or acts: the next clock that it gives is a new one. */
static void
advance(int node)
{
    struct order_node *of = &nodes[node];

    if (of->given)
        atomic_store_explicit(component(node, node), order_known(node, node) + 1, memory_order_relaxed);
    of->given = false;
    order_drop(of->last);
    of->last = NULL;
}

uint32_t
order_time(int node)
{
    if (nodes[node].given)
        advance(node);
    return order_known(node, node);
}

void
order_count_turn(int node)
{
    nodes[node].turns++;
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
        if (nodes[i].active && order_known(i, node) < time)
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
            of->last->of[i] = order_known(node, i);
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
        if (order_known(node, i) >= clock[i])
            continue;
        if (!changed)
            advance(node);
        changed = true;
        atomic_store_explicit(component(node, i), clock[i], memory_order_relaxed);
    }
}

/* ------------------------------------------------------------------ the end */

void
order_end(bool whole)
{
    for (int i = 0; i < node_count && nodes && whole; i++)
        order_drop(nodes[i].last);
    free(nodes);
    free(clocks);
    nodes = NULL;
    clocks = NULL;
    atomic_store(&order_kept, false);
}
