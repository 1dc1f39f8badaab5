/* SPDX-License-Identifier: MIT */
/* Phases: which node runs next, and which carrier makes the round. */
#include "lib/base/clock.h"
#include "lib/machine/engine.h"
#include "lib/machine/futex.h"
#include "lib/machine/hooks.h"
#include "lib/machine/meet.h"
#include "lib/machine/memory.h"
#include "lib/machine/output.h"
#include "lib/machine/park.h"
#include "lib/machine/requests.h"
#include "lib/machine/rounds.h"
#include "lib/machine/rules.h"
#include "lib/machine/size_classes.h"
#include "lib/machine/strand.h"
#include "lib/machine/wait.h"
#include <stdio.h>

/* A phase is what nodes do between two rounds.  Who guarantees what in it:
 *
 *   running      Counts the carriers that run a list, and every other thread that keeps the phase open: the maker
 *                while it starts carriers without a node of its own, the monitor while it shares a list.  The thread
 *                that takes it from 1 to 0 is the maker of the round.  Only the maker raises it from 0.
 *   the maker    Makes the round alone: no node runs, so it owns the whole machine.  It then stores the lists and
 *                raises `running`.  That store releases them to the monitor, engine->start to each carrier.
 *   a carrier    Takes nodes from the front of its span by compare-and-swap.  In a phase only its own nodes, one at
 *                a time, write its other fields, such as its list of free requests.  At the end of its list it
 *                clears `busy` (release), then decrements `running` (acq_rel): so the maker sees all that all nodes
 *                wrote.
 *   the monitor  The thread that waits in peal_run.  It joins `running` only while that is not 0, so no round begins
 *                meanwhile.  It loads `busy` (acquire): if that is false, it sees what the carrier's last node
 *                wrote, and owns the carrier until it has started it; its count in `running` is then the carrier's.
 *                It takes the upper half of the longest span by compare-and-swap, and never uses `first`.
 *   the end      The store of `done` publishes the results to peal_run. */

enum {
    SPREAD_NANOSECONDS = 100 * 1000, /* this much computing is worth waking another core */
    SWITCH_NANOSECONDS = 3 * 1000,   /* a generous guess at one switch of threads */
    BRIEF_PHASES = 8,                /* after this many short phases in a row one carrier is enough again */
};

/* ------------------------------------------------------------------ a carrier's list */

/* Give the resting carrier runnable[begin .. end) as its list, and take the first node of it. */
static struct node *
set_span(struct carrier *carrier, struct peal_machine *machine, size_t begin, size_t end)
{
    atomic_store_explicit(&carrier->span, (uint64_t)begin << 32 | (uint64_t)end, memory_order_relaxed);
    atomic_store_explicit(&carrier->busy, begin < end, memory_order_relaxed);
    return carrier_take(carrier, machine);
}

/* Divide runnable[] among the carriers by rank and start all but `own`, whose first node is given in *first.  Returns
 * false when `own` has no node and all others have meanwhile finished their lists: then the caller makes the next
 * round. */
static bool
begin_phase(struct peal_machine *machine, struct carrier *own, struct node **first)
{
    int used = machine->options.wake_all || machine->phase.spread ? machine->phase.carrier_count : 1;
    size_t begin = 0;
    int busy = 0;

    if (used > machine->host.carriers)
        machine->host.carriers = used;
    atomic_fetch_add_explicit(&machine->phase.number, 1, memory_order_relaxed);
    if (machine->phase.carrier_count > 1) /* else not needed */
        machine->phase.began = nanoseconds_now();
    for (int i = 0; i < used; i++) {
        int64_t limit = ((int64_t)(i + 1) * machine->options.nodes + used - 1) / used; /* ranks below are its */
        size_t end = used == 1 ? machine->phase.runnable_count : begin;

        while (end < machine->phase.runnable_count && machine->phase.runnable[end] < limit)
            end++;
        machine->phase.carriers[i].first = set_span(&machine->phase.carriers[i], machine, begin, end);
        busy += machine->phase.carriers[i].first != NULL;
        begin = end;
    }
    *first = own && own->index < used ? own->first : NULL;

    /* While carriers are still being started the phase must not end: our own node prevents it, or one in its place.
     * From here on the monitor may share lists with carriers at rest, and start them; it does not touch `first`.
     * release: shows all of the above to the monitor, which acquires it; engine->start shows it to the carriers */
    bool extra = !*first;

    atomic_store_explicit(&machine->phase.running, busy + extra, memory_order_release);
    for (int i = 0; i < used; i++) {
        struct carrier *carrier = &machine->phase.carriers[i];

        if (carrier != own && carrier->first)
            machine->engine->start(carrier, carrier->first);
    }
    return !extra || atomic_fetch_sub_explicit(&machine->phase.running, 1, memory_order_acq_rel) != 1;
}

/* ------------------------------------------------------------------ from phase to phase */

/* One carrier for nodes that only communicate; all of them once the nodes compute enough between two rounds. */
static void
choose_carriers(struct peal_machine *machine)
{
    if (machine->options.carriers != PEAL_CARRIERS_AUTO || machine->phase.carrier_count == 1 ||
        machine->options.wake_all)
        return;
    int64_t computing =
        nanoseconds_now() - machine->phase.began - (int64_t)machine->phase.runnable_count * SWITCH_NANOSECONDS;

    if (computing > SPREAD_NANOSECONDS) {
        machine->phase.spread = true;
        machine->phase.brief = 0;
    } else if (machine->phase.spread && ++machine->phase.brief >= BRIEF_PHASES) {
        machine->phase.spread = false;
    }
}

/* The run ended normally, or all nodes are unwound: let peal_run return. */
static void
machine_end(struct peal_machine *machine)
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
            machine_end(machine);
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
    if (atomic_fetch_sub_explicit(&machine->phase.running, 1, memory_order_acq_rel) != 1)
        return NULL;
    return make_rounds(machine, carrier);
}

void
node_clear(struct node *node)
{
    memory_clear(node);
    strands_clear(node);
    free(node->held);
    node->held = NULL;
    node_advice_free(node);
    own_free(node->crash_hint);
    node->crash_hint = NULL;
    node->writes_result = false;
    meet_forget(node);
    for (struct peal_node *view; (view = node->views); own_free(view))
        node->views = view->next;
    for (struct peal_node *view; (view = node->spare_views); own_free(view))
        node->spare_views = view->next;
}

void
node_forget(struct node *node)
{
    node->blocks = node->spare = NULL;
    node->views = node->spare_views = NULL;
    node->held = NULL;
    node->meets = NULL;
    node->question = NULL;
    node->strands = NULL;
    node->advice = NULL;
}

/* End a process that the node forked: its program has returned, or has called Peal. */
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
        node_forget(node);
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
    node_clear(node);
    if (way == EXIT_DONE) /* else other nodes may be looking into its blocks, into a window's: peal_run releases them */
        memory_release(node);
    node_set_state(node, way == EXIT_DONE ? NODE_FINISHED : NODE_FAILED);
    machine->engine->leave(node, node_next(node));
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

void
machine_begin(struct peal_machine *machine)
{
    struct node *first;

    machine->phase.end_list = carrier_end;
    for (int i = 0; i < machine->phase.carrier_count; i++) {
        machine->phase.carriers[i].states = 0;
        machine->phase.carriers[i].printed = false;
        machine->phase.carriers[i].operations = 0;
        machine->phase.carriers[i].outside = NULL;
    }
    machine->boxes_filled = false;
    machine->phase.runnable_count = 0;
    for (int rank = 0; rank < machine->options.nodes; rank++)
        machine->phase.runnable[machine->phase.runnable_count++] = rank;
    if (!begin_phase(machine, NULL, &first))
        make_rounds(machine, NULL);
}

/* ------------------------------------------------------------------ the monitor */

/* Give the upper half of the longest list to a carrier at rest.  The phase cannot end while `running` counts us. */
static bool
carrier_share_work(struct peal_machine *machine, struct carrier *idle)
{
    struct carrier *longest = NULL;
    uint32_t most = 0;

    for (int i = 0; i < machine->phase.carrier_count; i++) {
        uint64_t span = atomic_load_explicit(&machine->phase.carriers[i].span, memory_order_relaxed);
        uint32_t left = (uint32_t)span > (uint32_t)(span >> 32) ? (uint32_t)span - (uint32_t)(span >> 32) : 0;

        if (left > most) {
            most = left;
            longest = &machine->phase.carriers[i];
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
    for (int i = 0; i < machine->phase.carrier_count; i++) {
        struct carrier *carrier = &machine->phase.carriers[i];
        int running = atomic_load(&machine->phase.running);

        do
            if (running == 0)
                return; /* the phase is over */
        while (!atomic_compare_exchange_weak(&machine->phase.running, &running, running + 1));
        /* acquire: what the carrier's last node wrote, request numbers among it */
        if (!atomic_load_explicit(&carrier->busy, memory_order_acquire) && carrier_share_work(machine, carrier))
            continue;
        if (atomic_fetch_sub_explicit(&machine->phase.running, 1, memory_order_acq_rel) == 1)
            make_rounds(machine, NULL); /* the phase ended meanwhile, so this thread makes the round */
    }
}
