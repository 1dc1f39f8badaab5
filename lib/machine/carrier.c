/* SPDX-License-Identifier: MIT */
/* Phases: which node runs next, and which carrier makes the round. */
#include "lib/machine/futex.h"
#include "lib/machine/machine.h"
#include "lib/machine/requests.h"
#include "lib/machine/strand.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    SPREAD_NANOSECONDS = 100 * 1000, /* computing that is worth waking another core */
    SWITCH_NANOSECONDS = 3 * 1000,   /* a generous guess at one switch of threads */
    BRIEF_PHASES = 8,                /* short phases on end after which one carrier is enough again */
};

_Thread_local struct node *self;

int64_t
nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ------------------------------------------------------------------ a carrier's list */

/* Prefetch what later nodes touch first: a node, then one line of its stack, then the others.  The first line of a page
 * waits until its address is translated; lines after it that waited too would keep all other prefetches waiting. */
static PREFETCHING void
prefetch(const struct peal_machine *machine, uint32_t next, uint32_t end)
{
    const struct node *nodes = machine->nodes;
    const int32_t *runnable = machine->runnable;

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
    struct node *node = &machine->nodes[machine->runnable[next]];

    node->carrier = carrier;
    atomic_store_explicit(&carrier->current, node, memory_order_relaxed);
    return node;
}

/* The carrier's next node, or NULL at the end of its list. */
static struct node *
take_next(struct carrier *carrier, struct peal_machine *machine)
{
    uint64_t span = atomic_load_explicit(&carrier->span, memory_order_relaxed);
    uint32_t next = (uint32_t)(span >> 32), end = (uint32_t)span;

    if (machine->carrier_count == 1) { /* nothing to share */
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

/* Give the carrier, which is at rest, runnable[begin .. end) to run, and take the first of them. */
static struct node *
set_span(struct carrier *carrier, struct peal_machine *machine, size_t begin, size_t end)
{
    atomic_store_explicit(&carrier->span, (uint64_t)begin << 32 | (uint64_t)end, memory_order_relaxed);
    atomic_store_explicit(&carrier->busy, begin < end, memory_order_relaxed);
    return take_next(carrier, machine);
}

/* Divide runnable[] among the carriers by rank and start all but `own`, whose first node is given in *first.  Returns
 * false when `own` has no node and all others have come to the end of their lists meanwhile: then the caller makes the
 * next round. */
static bool
begin_phase(struct peal_machine *machine, struct carrier *own, struct node **first)
{
    int used = machine->options.wake_all || machine->spread ? machine->carrier_count : 1;
    size_t begin = 0;
    int busy = 0;

    machine->carriers_used = used;
    if (used > machine->host.carriers)
        machine->host.carriers = used;
    atomic_fetch_add_explicit(&machine->phase, 1, memory_order_relaxed);
    if (machine->carrier_count > 1) /* else not needed */
        machine->phase_began = nanoseconds_now();
    for (int i = 0; i < used; i++) {
        int64_t limit = ((int64_t)(i + 1) * machine->options.nodes + used - 1) / used; /* ranks below are its */
        size_t end = used == 1 ? machine->runnable_count : begin;

        while (end < machine->runnable_count && machine->runnable[end] < limit)
            end++;
        machine->carriers[i].first = set_span(&machine->carriers[i], machine, begin, end);
        busy += machine->carriers[i].first != NULL;
        begin = end;
    }
    *first = own && own->index < used ? own->first : NULL;

    /* While carriers are still being started the phase must not end: our own node prevents it, or a hold in its place.
     * From here on the monitor may share lists with carriers at rest, and start them; it does not touch `first`.
     * release: shows all of the above to the monitor, which acquires it; engine->start shows it to the carriers */
    bool hold = !*first;

    atomic_store_explicit(&machine->running, busy + hold, memory_order_release);
    for (int i = 0; i < used; i++) {
        struct carrier *carrier = &machine->carriers[i];

        if (carrier != own && carrier->first)
            machine->engine->start(carrier, carrier->first);
    }
    return !hold || atomic_fetch_sub_explicit(&machine->running, 1, memory_order_acq_rel) != 1;
}

/* ------------------------------------------------------------------ from phase to phase */

/* One carrier for nodes that only communicate; all of them once the nodes compute enough between two rounds. */
static void
choose_carriers(struct peal_machine *machine)
{
    if (machine->options.carriers != PEAL_CARRIERS_AUTO || machine->carrier_count == 1 || machine->options.wake_all)
        return;
    int64_t computing =
        nanoseconds_now() - machine->phase_began - (int64_t)machine->runnable_count * SWITCH_NANOSECONDS;

    if (computing > SPREAD_NANOSECONDS) {
        machine->spread = true;
        machine->brief_phases = 0;
    } else if (machine->spread && ++machine->brief_phases >= BRIEF_PHASES) {
        machine->spread = false;
    }
}

/* The run ended normally, or all nodes are unwound: let peal_run return. */
static void
end(struct peal_machine *machine)
{
    output_print(machine, NULL, 0, true);
    atomic_store(&machine->done, 1); /* published by this store; seen by peal_run's load */
    if (!machine->runs_here)         /* no thread waits */
        futex_wake(&machine->done, 1);
}

/* The phase is over: make the round and begin the next phase.  Returns the next node of the carrier `own`, NULL when it
 * has none. */
static struct node *
make_rounds(struct peal_machine *machine, struct carrier *own)
{
    struct node *first;

    do {
        choose_carriers(machine);
        if (!rounds_next(machine)) {
            end(machine);
            return NULL;
        }
    } while (!begin_phase(machine, own, &first));
    return first;
}

/* ------------------------------------------------------------------ a node's steps */

struct node *
carrier_end(struct carrier *carrier)
{
    struct peal_machine *machine = carrier->machine;

    atomic_store_explicit(&carrier->current, NULL, memory_order_relaxed);
    atomic_store_explicit(&carrier->busy, false, memory_order_release);
    /* acq_rel: publishes what this carrier's nodes wrote; the last one acquires what all of them wrote */
    if (atomic_fetch_sub_explicit(&machine->running, 1, memory_order_acq_rel) != 1)
        return NULL;
    return make_rounds(machine, carrier);
}

/* The node whose turn is next on this carrier; NULL: none, or the engine finds it. */
static struct node *
next_after(struct node *node)
{
    struct node *next = take_next(node->carrier, node->machine);

    return next || node->machine->engine->ends_phases ? next : carrier_end(node->carrier);
}

/* Note for the round what it needs to know of a node that parks. */
static void
set_state(struct node *node, enum node_state state)
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

/* Whether the node is to be unwound; not while it only goes on with a collective, to be found where it waits there. */
static inline bool
must_stop(const struct node *node)
{
    return __builtin_expect(atomic_load_explicit(&node->machine->stopping, memory_order_relaxed), 0) &&
           !node->machine->goes_on;
}

static inline __attribute__((always_inline)) void
park(struct node *node, enum node_state state)
{
    if (must_stop(node)) {
        node->stopped = (uint8_t)(1 + state);
        siglongjmp(*node->entry, EXIT_UNWOUND);
    }
    set_state(node, state);

    struct node *next = next_after(node);

    if (next != node)
        node->machine->engine->yield(node, next);
    node->state = NODE_RUNS;
    if (must_stop(node))
        siglongjmp(*node->entry, EXIT_UNWOUND);
}

void
node_park_whole(struct node *node, enum node_state state)
{
    park(node, state);
}

void
node_park(struct node *node, enum node_state state)
{
    if (__builtin_expect(node->parks_apart, 0)) {
        if (node->machine->remote)
            node->machine->remote->park(node, state);
        else
            strand_wait(node, state);
        return;
    }
    park(node, state);
}

_Noreturn void
node_leave(struct node *node, enum node_exit way)
{
    if (node->strands && node->strands->running != &node->strands->first)
        strand_leave(node, way);
    siglongjmp(*node->entry, (int)way);
}

bool
node_check_requests(struct node *node, const struct peal_node *view)
{
    struct request *requests = node->machine->requests;
    uint32_t next;

    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if ((!(requests[id].flags & REQUEST_COMPLETE) || requests[id].kind == REQUEST_LOCK) &&
            is_posted_in(&requests[id], view)) {
            reporter->lost(node, &requests[id], !view);
            return false;
        }
    for (uint32_t id = node->open; id; id = next) {
        uint32_t message = requests[id].kind == REQUEST_MATCHED_PROBE ? node->machine->extras[id].message : 0;

        next = requests[id].open_next;
        if (!is_posted_in(&requests[id], view))
            continue;
        if (message) /* found, but never received: its partner is itself from now on */
            requests[message].partner = message;
        request_consume(node, id);
    }
    return true;
}

/* This is a process that the node has forked: its program has returned, or has called Peal. */
_Noreturn static void
end_forked(const struct node *node, int way)
{
    if (way != EXIT_DONE)
        fprintf(stderr, "peal: a process that node %d has forked is not a node: it cannot call Peal\n", node->rank);
    fflush(NULL);
    _exit(way == EXIT_DONE ? 0 : PEAL_FAILED);
}

void
node_end(struct node *node, enum node_exit way)
{
    struct peal_machine *machine = node->machine;

    node->inside = node->ends = true;
    strands_return(node);
    if (node->clearing) /* it crashed: the program has overwritten the heads of its blocks */
        memory_forget(node);
    if (!self)
        end_forked(node, (int)way);
    if (way == EXIT_DONE && !machine->remote)
        node_settle(node, NULL);
    if (way == EXIT_DONE && machine->memory_hooks)
        machine->memory_hooks->ended(node);
    if (way == EXIT_DONE)
        node_check_requests(node, NULL);
    else if (way == EXIT_CRASHED || way == EXIT_EXPIRED)
        crash_hooks->report(node, way);
    if (way == EXIT_UNWOUND && node->stopped == 0)
        node->stopped = 1 + NODE_RUNS;
    node->clearing = true;
    memory_clear(node);
    if (way == EXIT_DONE) /* else other nodes may be looking into its blocks, into a window's: peal_run releases them */
        memory_release(node);
    set_state(node, way == EXIT_DONE ? NODE_FINISHED : NODE_FAILED);
    machine->engine->leave(node, next_after(node));
}

void
node_main(struct node *node)
{
    struct peal_machine *machine = node->machine;
    sigjmp_buf entry;

    node->entry = &entry;
    int way = sigsetjmp(entry, 0);

    if (way == EXIT_NONE && !atomic_load(&machine->stopping)) {
        node->inside = false;
        if (machine->engine->call_program)
            machine->engine->call_program(node);
        else
            machine->program(&node->world, machine->arg);
        way = EXIT_DONE;
    }
    node_end(self ? self : node, (enum node_exit)way); /* the program may have overwritten our frame */
}

enum node_exit
node_run_alone(struct node *node)
{
    struct peal_machine *machine = node->machine;
    sigjmp_buf entry;

    node->entry = &entry;
    int way = sigsetjmp(entry, 1);

    if (way == EXIT_NONE) {
        node->inside = false;
        machine->program(&node->world, machine->arg);
        way = EXIT_DONE;
    }
    node->inside = true;
    if (way == EXIT_CRASHED || way == EXIT_EXPIRED)
        crash_hooks->report(node, (enum node_exit)way);
    return (enum node_exit)way;
}

_Noreturn void
node_restart(struct node *node, enum node_exit way)
{
    if (node->machine->engine->restart)
        node->machine->engine->restart(node, way); /* does not return */
    siglongjmp(*node->entry, (int)way);
}

void
machine_begin(struct peal_machine *machine)
{
    struct node *first;

    for (int i = 0; i < machine->carrier_count; i++) {
        machine->carriers[i].states = 0;
        machine->carriers[i].printed = false;
        machine->carriers[i].operations = 0;
    }
    machine->boxes_filled = false;
    machine->runnable_count = 0;
    for (int rank = 0; rank < machine->options.nodes; rank++)
        machine->runnable[machine->runnable_count++] = rank;
    if (!begin_phase(machine, NULL, &first))
        make_rounds(machine, NULL);
}

/* ------------------------------------------------------------------ the monitor */

/* Give the upper half of the longest list to a carrier at rest.  The phase cannot end while `running` counts us. */
static bool
share(struct peal_machine *machine, struct carrier *idle)
{
    struct carrier *longest = NULL;
    uint32_t most = 0;

    for (int i = 0; i < machine->carrier_count; i++) {
        uint64_t span = atomic_load_explicit(&machine->carriers[i].span, memory_order_relaxed);
        uint32_t left = (uint32_t)span > (uint32_t)(span >> 32) ? (uint32_t)span - (uint32_t)(span >> 32) : 0;

        if (left > most) {
            most = left;
            longest = &machine->carriers[i];
        }
    }
    if (!longest)
        return false;
    uint64_t span = atomic_load_explicit(&longest->span, memory_order_relaxed);
    uint32_t next = (uint32_t)(span >> 32), end = (uint32_t)span;

    if (next >= end)
        return false;
    uint32_t middle = next + (end - next) / 2;

    if (!atomic_compare_exchange_strong_explicit(&longest->span, &span, (uint64_t)next << 32 | middle,
                                                 memory_order_relaxed, memory_order_relaxed))
        return false;
    machine->engine->start(idle, set_span(idle, machine, middle, end));
    return true;
}

void
machine_rebalance(struct peal_machine *machine, int64_t phase_nanoseconds)
{
    if (machine->options.carriers != PEAL_CARRIERS_AUTO || machine->options.wake_all ||
        phase_nanoseconds < SPREAD_NANOSECONDS)
        return;
    for (int i = 0; i < machine->carrier_count; i++) {
        struct carrier *carrier = &machine->carriers[i];
        int running = atomic_load(&machine->running);

        do
            if (running == 0)
                return; /* the phase is over */
        while (!atomic_compare_exchange_weak(&machine->running, &running, running + 1));
        /* acquire: what the carrier's last node wrote, request numbers among it */
        if (!atomic_load_explicit(&carrier->busy, memory_order_acquire) && share(machine, carrier))
            continue;
        if (atomic_fetch_sub_explicit(&machine->running, 1, memory_order_acq_rel) == 1)
            make_rounds(machine, NULL); /* the phase ended meanwhile, so this thread makes the round */
    }
}
