/* SPDX-License-Identifier: MIT */
/* How a node parks, and leaves: its carrier goes to the next node of its list, and at the end it calls carrier_end. */
#include "lib/machine/park.h"
#include "lib/machine/carrier.h"
#include "lib/machine/engine.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include "lib/machine/outsiders.h"
#include "lib/machine/strand.h"

_Thread_local struct node *self;

/* Prefetch what later nodes touch first: a node, then one line of its stack, then the others.  The first line of a page
 * waits until its address is translated; lines after it that waited too would keep all other prefetches waiting. */
static PREFETCHING void
prefetch(const struct peal_machine *machine, uint32_t next, uint32_t end)
{
    const struct node *nodes = machine->nodes;
    const int32_t *runnable = machine->phase.runnable;

    if (next + 16 < end)
        __builtin_prefetch(&nodes[runnable[next + 16]], 1);
    if (next + 8 < end)
        __builtin_prefetch(nodes[runnable[next + 8]].context, 1); /* threads: NULL, which does no harm */
    if (next + 4 < end) {
        const char *context = nodes[runnable[next + 4]].context;

        for (int line = 1; context && line < 10; line++)
            __builtin_prefetch(context + 64 * line, 1);
    }
}

static inline struct node *
set_current(struct carrier *carrier, struct peal_machine *machine, uint32_t next)
{
    struct node *node = &machine->nodes[machine->phase.runnable[next]];

    node->carrier = carrier;
    atomic_store_explicit(&carrier->current, node, memory_order_relaxed);
    return node;
}

struct node *
carrier_take(struct carrier *carrier, struct peal_machine *machine)
{
    uint64_t span = atomic_load_explicit(&carrier->span, memory_order_relaxed);
    uint32_t next = (uint32_t)(span >> 32), end = (uint32_t)span;

    if (machine->phase.carrier_count == 1) { /* nothing to share */
        if (next >= end)
            return NULL;
        atomic_store_explicit(&carrier->span, (uint64_t)(next + 1) << 32 | end, memory_order_relaxed);
        prefetch(machine, next, end);
        return set_current(carrier, machine, next);
    }
    /* relaxed: runnable[] was published by carrier_start, and the monitor only shortens the span */
    for (;;) {
        next = (uint32_t)(span >> 32);
        end = (uint32_t)span;
        if (next >= end)
            return NULL;
        if (atomic_compare_exchange_weak_explicit(&carrier->span, &span, (uint64_t)(next + 1) << 32 | end,
                                                  memory_order_relaxed, memory_order_relaxed))
            return set_current(carrier, machine, next);
    }
}

struct node *
node_next(struct node *node)
{
    struct node *next = carrier_take(node->carrier, node->machine);

    if (!next && __builtin_expect(node->carrier->outside != NULL, 0))
        next = outsiders_next(node->carrier);
    return next || node->machine->engine->ends_phases ? next : node->machine->phase.end_list(node->carrier);
}

void
node_set_state(struct node *node, enum node_state state)
{
    struct carrier *carrier = node->carrier;

    node->state = (uint8_t)state;
    carrier->states |= UINT32_C(1) << state;
    if (node->operations == 0)
        return;
    if (node->operations > carrier->operations)
        carrier->operations = node->operations;
    for (struct round_listener *listener = node->machine->listener; listener; listener = listener->next)
        if (listener->operations)
            listener->operations[node->rank] = node->operations;
    node->operations = 0;
}

/* Whether the node is to be unwound.  Not while it goes on with a collective: it is unwound in its wait there. */
static inline bool
must_stop(const struct node *node)
{
    return __builtin_expect(atomic_load_explicit(&node->machine->stopping, memory_order_relaxed), 0) &&
           !node->machine->goes_on;
}

static inline __attribute__((always_inline)) void
node_park_inline(struct node *node, enum node_state state)
{
    if (must_stop(node)) {
        node->stopped = (uint8_t)(1 + state);
        siglongjmp(*node->entry, EXIT_UNWOUND);
    }
    node_set_state(node, state);

    struct node *next = node_next(node);

    if (next != node)
        node->machine->engine->yield(node, next);
    node->state = NODE_RUNS;
    if (must_stop(node))
        siglongjmp(*node->entry, EXIT_UNWOUND);
}

void
node_park_whole(struct node *node, enum node_state state)
{
    node_park_inline(node, state);
}

void
node_park(struct node *node, enum node_state state)
{
    if (__builtin_expect(node->parks_apart, 0)) {
        if (node->machine->remote)
            node->machine->remote->park(node, state);
        else
            node->strands->wait(node, state);
        return;
    }
    node_park_inline(node, state);
}

_Noreturn void
node_leave(struct node *node, enum node_exit way)
{
    if (node->strands && node->strands->running != &node->strands->first)
        node->strands->leave(node, way);
    siglongjmp(*node->entry, (int)way);
}

_Noreturn void
node_restart(struct node *node, enum node_exit way)
{
    if (node->machine->engine->restart)
        node->machine->engine->restart(node, way); /* does not return */
    siglongjmp(*node->entry, (int)way);
}
