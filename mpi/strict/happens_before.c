/* SPDX-License-Identifier: MIT */
/* Vector clocks: what each node knows about the others. */
#include "mpi/strict/happens_before.h"
#include "mpi/strict/finding.h"
#include <sched.h>
#include <stdlib.h>

/* A node's clock is written by its node alone, and read by others. */
struct vclock_node {
    struct vclock_clock *last; /* the clock that it gave last; NULL if it has learnt something since */
    bool given;                /* it has given its present time: what it does next is later */
    bool active;               /* it has made a window, and may still access one */
    uint32_t turns;
};

atomic_bool vclock_kept;
static atomic_flag locked = ATOMIC_FLAG_INIT;
static struct vclock_node *nodes; /* by rank in the machine, as the clocks are */
static _Atomic uint32_t *clocks;
static int node_count;

void
vclock_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        sched_yield();
}

void
vclock_unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

bool
vclock_try_lock(void)
{
    return !atomic_flag_test_and_set_explicit(&locked, memory_order_acquire);
}

void
vclock_begin(int count)
{
    node_count = count;
    atomic_store(&vclock_kept, false);
}

/* ------------------------------------------------------------------ clocks */

static void
clocks_free(void)
{
    free(nodes);
    free(clocks);
    nodes = NULL;
    clocks = NULL;
}

/* Make both, or, without memory, neither: another node may try next. */
static bool
clocks_make(void)
{
    nodes = calloc((size_t)node_count, sizeof *nodes);
    clocks = calloc((size_t)node_count * (size_t)node_count, sizeof *clocks);
    if (!nodes || !clocks) {
        clocks_free();
        return false;
    }
    for (int i = 0; i < node_count; i++)
        atomic_store_explicit(&clocks[(size_t)i * (size_t)node_count + (size_t)i], 1, memory_order_relaxed);
    return true;
}

void
vclock_start(struct mpi *mpi)
{
    if (!finding_strict())
        return;
    vclock_lock();
    const bool made = nodes || clocks_make();

    if (made)
        nodes[peal_world_rank(mpi->me)].active = true;
    vclock_unlock();
    if (!made)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory for the clocks of %d nodes", node_count);
    atomic_store(&vclock_kept, true);
}

void
vclock_leave(const struct mpi *mpi)
{
    if (!vclock_is_kept())
        return;
    vclock_lock();
    nodes[peal_world_rank(mpi->me)].active = false;
    vclock_unlock();
}

static _Atomic uint32_t *
component(int node, int of)
{
    return &clocks[(size_t)node * (size_t)node_count + (size_t)of];
}

uint32_t
vclock_known(int node, int of)
{
    return atomic_load_explicit(component(node, of), memory_order_relaxed);
}

/* The node learns something, or acts: the next clock that it gives is a new one. */
static void
vclock_advance(int node)
{
    struct vclock_node *of = &nodes[node];

    if (of->given)
        atomic_store_explicit(component(node, node), vclock_known(node, node) + 1, memory_order_relaxed);
    of->given = false;
    vclock_drop(of->last);
    of->last = NULL;
}

uint32_t
vclock_time(int node)
{
    if (nodes[node].given)
        vclock_advance(node);
    return vclock_known(node, node);
}

void
vclock_count_turn(int node)
{
    nodes[node].turns++;
}

uint32_t
vclock_turns(int node)
{
    return nodes[node].turns;
}

bool
vclock_is_past(int node, uint32_t time)
{
    for (int i = 0; i < node_count; i++)
        if (nodes[i].active && vclock_known(i, node) < time)
            return false;
    return true;
}

struct vclock_clock *
vclock_give(int node)
{
    struct vclock_node *of = &nodes[node];

    if (!of->last) {
        of->last = malloc(sizeof *of->last + (size_t)node_count * sizeof *of->last->of);
        if (!of->last)
            return NULL;
        of->last->references = 1;
        for (int i = 0; i < node_count; i++)
            of->last->of[i] = vclock_known(node, i);
    }
    of->given = true;
    of->last->references++;
    return of->last;
}

void
vclock_drop(struct vclock_clock *clock)
{
    if (clock && --clock->references == 0)
        free(clock);
}

void
vclock_add(uint32_t **sum, const uint32_t *clock)
{
    if (!*sum)
        *sum = calloc((size_t)node_count, sizeof **sum);
    for (int i = 0; i < node_count && *sum; i++)
        if ((*sum)[i] < clock[i])
            (*sum)[i] = clock[i];
}

void
vclock_add_node(uint32_t **sum, int node)
{
    struct vclock_clock *clock = vclock_give(node);

    if (clock)
        vclock_add(sum, clock->of);
    vclock_drop(clock);
}

void
vclock_take(int node, const uint32_t *clock)
{
    bool changed = false;

    for (int i = 0; i < node_count && clock; i++) {
        if (vclock_known(node, i) >= clock[i])
            continue;
        if (!changed)
            vclock_advance(node);
        changed = true;
        atomic_store_explicit(component(node, i), clock[i], memory_order_relaxed);
    }
}

/* ------------------------------------------------------------------ the end */

void
vclock_end(bool whole)
{
    for (int i = 0; i < node_count && nodes && whole; i++)
        vclock_drop(nodes[i].last);
    clocks_free();
    atomic_store(&vclock_kept, false);
}
