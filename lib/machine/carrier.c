/* SPDX-License-Identifier: MIT */
/* Phases and rounds: who runs next, who makes the round, who is released by it. */
#include "lib/machine/futex.h"
#include "lib/machine/machine.h"
#include "lib/machine/requests.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LIVELOCK_ROUNDS = 100,
    SPREAD_NANOSECONDS = 100 * 1000, /* computing worth more than waking another core */
    SWITCH_NANOSECONDS = 3 * 1000,   /* a generous guess at one switch of threads */
    CALM_PHASES = 8,                 /* short phases on end after which one carrier is enough again */
};

int64_t
nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ------------------------------------------------------------------ a carrier's list */

/* Ask for the memory that the nodes after the next one will touch first. */
static PREFETCHING void
prefetch(const struct peal_machine *machine, uint32_t next, uint32_t end)
{
    if (next + 8 < end)
        __builtin_prefetch(&machine->nodes[machine->runnable[next + 8]], 1);
    if (next + 4 < end) {
        const char *context = machine->nodes[machine->runnable[next + 4]].context;

        for (int line = 0; context && line < 8; line++) /* threads have none */
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

    if (machine->carrier_count == 1) { /* nobody to share with */
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

/* Divide runnable[] among the carriers by rank and start all but `own`, whose first node is given in *first.  false when
 * `own` has no node and all others have come to the end of their lists meanwhile: then the caller makes the next round. */
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
    if (machine->carrier_count > 1) /* or nobody asks */
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

    /* While we are still starting carriers the phase must not end: our own node sees to that, or a hold in its place.
     * From here on the monitor may share lists with carriers at rest, and start them: `first` is not its business.
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

/* ------------------------------------------------------------------ releasing nodes */

static void
release(struct peal_machine *machine, struct node *node)
{
    node->state = NODE_RUNS;
    machine->runnable[machine->runnable_count++] = node->rank;
}

/* Put runnable[] into the order of the ranks. */
static void
sort_runnable(struct peal_machine *machine)
{
    int32_t *ranks = machine->runnable;
    size_t count = machine->runnable_count;

    if (count == (size_t)machine->options.nodes) { /* it is all of them */
        for (int32_t rank = 0; rank < machine->options.nodes; rank++)
            ranks[rank] = rank;
        return;
    }
    if (count <= 32) {
        for (size_t i = 1; i < count; i++) {
            int32_t rank = ranks[i];
            size_t j = i;

            for (; j > 0 && ranks[j - 1] > rank; j--)
                ranks[j] = ranks[j - 1];
            ranks[j] = rank;
        }
        return;
    }
    size_t low = SIZE_MAX, high = 0;

    for (size_t i = 0; i < count; i++) {
        size_t word = (size_t)ranks[i] / 64;

        machine->marks[word] |= UINT64_C(1) << (ranks[i] % 64);
        if (word < low)
            low = word;
        if (word > high)
            high = word;
    }
    size_t sorted = 0;

    for (size_t word = low; word <= high; word++)
        for (; machine->marks[word]; machine->marks[word] &= machine->marks[word] - 1)
            ranks[sorted++] = (int32_t)(word * 64) + __builtin_ctzll(machine->marks[word]);
}

/* Release the node if it waits for a place in this box. */
static void
release_poster(struct peal_machine *machine, int32_t rank, enum request_kind box)
{
    struct node *node = &machine->nodes[rank];

    if (node->state == NODE_POSTS && node->blocked_box == box)
        release(machine, node);
}

/* Release whom the round has served.  Gives how many were released for more than having rested. */
static size_t
release_served(struct peal_machine *machine, size_t resting)
{
    struct round *round = &machine->round;

    if (round->released_count > 0) /* nobody asks for their states before they run */
        memcpy(machine->runnable + machine->runnable_count, round->released,
               round->released_count * sizeof *round->released);
    machine->runnable_count += round->released_count;
    for (size_t i = 0; machine->boxes_filled && i < round->complete_count; i++)
        release_poster(machine, round->requests[round->complete[i]].node, REQUEST_RECEIVE);
    for (size_t i = 0; machine->boxes_filled && i < round->transfer_count; i++) {
        release_poster(machine, round->transfers[i].from, REQUEST_SEND);
        if (round->requests[round->admitted[i]].flags & REQUEST_MATCHED)
            release_poster(machine, round->transfers[i].to, REQUEST_RECEIVE);
    }
    return machine->runnable_count - resting;
}

enum { ENDED = 1 << NODE_FINISHED | 1 << NODE_FAILED, RESTING = 1 << NODE_TESTS | 1 << NODE_RESTS };

/* What the nodes that ran have in common. */
struct stock {
    uint32_t states;
    bool printed;
    int64_t operations; /* the most that one of them declared */
    size_t splitting;   /* who wants to split its group: so many are in machine->splitting */
};

static struct stock
take_stock(struct peal_machine *machine)
{
    struct stock stock = {0};

    for (int i = 0; i < machine->carrier_count; i++) {
        struct carrier *carrier = &machine->carriers[i];

        stock.states |= carrier->states;
        stock.printed |= carrier->printed;
        if (carrier->operations > stock.operations)
            stock.operations = carrier->operations;
        carrier->states = 0;
        carrier->printed = false;
        carrier->operations = 0;
    }
    machine->boxes_filled |= (stock.states & 1 << NODE_POSTS) != 0;
    if (!(stock.states & (ENDED | 1 << NODE_SPLITS)))
        return stock;
    for (size_t i = 0; i < machine->runnable_count; i++) {
        const struct node *node = &machine->nodes[machine->runnable[i]];

        if (node->state == NODE_FINISHED || node->state == NODE_FAILED)
            machine->unfinished--;
        else if (node->state == NODE_SPLITS)
            machine->splitting[stock.splitting++] = node->rank;
    }
    return stock;
}

/* Those that rest have done so: they stay in runnable[], all others go. */
static void
keep_resting(struct peal_machine *machine, uint32_t states)
{
    size_t kept = 0;

    for (size_t i = 0; (states & RESTING) && i < machine->runnable_count; i++) {
        struct node *node = &machine->nodes[machine->runnable[i]];

        if (node->state == NODE_TESTS || node->state == NODE_RESTS)
            machine->runnable[kept++] = machine->runnable[i];
    }
    machine->runnable_count = kept;
}

/* ------------------------------------------------------------------ making rounds */

/* One carrier for nodes that only communicate; all of them once the computing between two rounds is worth it. */
static void
choose_carriers(struct peal_machine *machine)
{
    if (machine->options.carriers != PEAL_CARRIERS_AUTO || machine->carrier_count == 1 || machine->options.wake_all)
        return;
    int64_t computing =
        nanoseconds_now() - machine->phase_began - (int64_t)machine->runnable_count * SWITCH_NANOSECONDS;

    if (computing > SPREAD_NANOSECONDS) {
        machine->spread = true;
        machine->calm_phases = 0;
    } else if (machine->spread && ++machine->calm_phases >= CALM_PHASES) {
        machine->spread = false;
    }
}

/* Let every node that has not ended come back from its park, to be unwound. */
static void
stop(struct peal_machine *machine)
{
    atomic_store(&machine->stopping, true);
    machine->unwinding = true;
    crash_abandon(machine);
    machine->runnable_count = 0;
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        struct node *node = &machine->nodes[rank];

        if (node->state != NODE_FINISHED && node->state != NODE_FAILED)
            machine->runnable[machine->runnable_count++] = rank;
    }
}

/* The run ended as it should, or all nodes are unwound: let peal_run return. */
static void
end(struct peal_machine *machine)
{
    output_flush(machine, NULL, 0, true);
    atomic_store(&machine->done, 1); /* published by this store; seen by peal_run's load */
    if (!machine->runs_here)         /* nobody waits */
        futex_wake(&machine->done, 1);
}

void
round_listener_add(struct peal_machine *machine, struct round_listener *listener)
{
    listener->next = machine->listener;
    machine->listener = listener;
}

void
round_listener_remove(struct peal_machine *machine, struct round_listener *listener)
{
    for (struct round_listener **at = &machine->listener; *at; at = &(*at)->next)
        if (*at == listener) {
            *at = listener->next;
            return;
        }
}

static void
show_round(struct peal_machine *machine)
{
    for (struct round_listener *listener = machine->listener; listener; listener = listener->next)
        listener->look(machine, listener->arg);
}

/* Nothing moves but `resting` nodes that test or rest, and these have long enough.  One who checks may have something for
 * the next round. */
static void
be_stuck(struct peal_machine *machine, size_t resting)
{
    machine->idle_rounds = 0;
    if (machine->match_chooser && machine->match_chooser->choose(machine->match_chooser, machine))
        return;
    if (resting == 0)
        failure_deadlock(machine);
    else
        failure_livelock(machine, LIVELOCK_ROUNDS);
}

/* Fail the run if its cost is too large to count. */
static void
check_counted(struct peal_machine *machine)
{
    if (!peal_cost_counted(machine->round.cost))
        failure_set(machine, 0, PEAL_BAD_SIZE, NULL, 0,
                    "the cost of the run is too large to count: a coefficient is at most %lld",
                    (long long)INT64_MAX - 1);
}

/* Make one round; false when the run failed. */
static bool
make_round(struct peal_machine *machine)
{
    struct round *round = &machine->round;
    struct round_failure wrong;
    struct stock stock = take_stock(machine);

    if (stock.printed)
        output_flush(machine, machine->runnable, machine->runnable_count, false);
    if (machine->mismatched)
        calls_tell_differences(machine);
    if (machine->failed)
        return false;
    if (machine->unfinished == 0) {
        /* what was posted last is taken in without a round, only to be found unreceived */
        if (!round_close(round, stock.operations))
            failure_set(machine, 0, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory to record the schedule");
        else
            show_round(machine);
        check_counted(machine);
        struct missing missing;

        if (calls_find_missing(machine, &missing))
            failure_uncalled(machine, &missing);
        else
            failure_unmatched(machine);
        return false;
    }

    enum round_status status = round_make(round, machine->runnable, machine->runnable_count, stock.operations, &wrong);

    machine->rounds_made++;
    if (status == ROUND_NO_MEMORY) {
        failure_set(machine, 0, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory for round %llu",
                    (unsigned long long)round->number);
        return false;
    }
    if (status == ROUND_FAILED) {
        failure_round(machine, &wrong);
        return false;
    }
    check_counted(machine); /* the round is made, and its nodes go on: they are unwound then */
    void *fault = copies_perform(machine, round->copies, round->copy_count);

    if (fault) {
        failure_bad_buffer(machine, fault);
        return false;
    }
    show_round(machine);
    round_delivered(round);
    progress_note(machine);
    keep_resting(machine, stock.states);

    size_t resting = machine->runnable_count, served = release_served(machine, resting);

    served += groups_split(machine, machine->splitting, stock.splitting, release);
    for (size_t i = 0; i < round->taken_count; i++)
        request_recycle(machine->nodes[round->requests[round->taken[i]].node].carrier, round->requests,
                        round->taken[i]);
    if (machine->failed)
        return false;
    if (round->transfer_count > 0 || served > 0)
        machine->idle_rounds = 0;
    else if (resting == 0 || ++machine->idle_rounds >= LIVELOCK_ROUNDS)
        be_stuck(machine, resting);
    return !machine->failed;
}

/* Make rounds until somebody can run.  false when the run is over. */
static bool
make_next(struct peal_machine *machine)
{
    choose_carriers(machine);
    do {
        if (machine->unwinding) /* and now they all are */
            return false;
        if (!make_round(machine)) {
            if (machine->failed)
                failure_describe_nodes(machine);
            stop(machine);
            return machine->runnable_count > 0;
        }
    } while (machine->runnable_count == 0);
    sort_runnable(machine);
    return true;
}

/* The phase is over: make the round and begin the next phase.  Returns the next node of the carrier `own`, NULL when it has
 * none. */
static struct node *
make_rounds(struct peal_machine *machine, struct carrier *own)
{
    struct node *first;

    do {
        if (!make_next(machine)) {
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

/* Tell the carrier what the round needs to know of a node that parks. */
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

void
node_park(struct node *node, enum node_state state)
{
    if (node->machine->remote) {
        node->machine->remote->park(node, state);
        return;
    }
    if (atomic_load_explicit(&node->machine->stopping, memory_order_relaxed))
        siglongjmp(*node->entry, EXIT_UNWOUND);
    set_state(node, state);

    struct node *next = next_after(node);

    if (next != node)
        node->machine->engine->yield(node, next);
    node->state = NODE_RUNS;
    if (atomic_load_explicit(&node->machine->stopping, memory_order_relaxed))
        siglongjmp(*node->entry, EXIT_UNWOUND);
}

/* The program returned: everything it posted must be complete. */
static void
check_requests(struct node *node)
{
    struct request *requests = node->machine->requests;

    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if (!(requests[id].flags & REQUEST_COMPLETE)) {
            failure_lost(node, &requests[id]);
            return;
        }
    while (node->open)
        request_consume(node, node->open);
}

/* This is a process that the node has forked, and its program has returned there, or has called Peal. */
_Noreturn static void
end_forked(const struct node *node, int way)
{
    if (way != EXIT_DONE)
        fprintf(stderr, "peal: a process that node %d has forked is no node: it makes no calls of Peal's\n",
                node->rank);
    fflush(NULL);
    _exit(way == EXIT_DONE ? 0 : PEAL_FAILED);
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
        machine->program(&node->world, machine->arg);
        way = EXIT_DONE;
    }
    node->inside = true;
    if (!self)
        end_forked(node, way);
    crash_forget(node, way);
    if (way == EXIT_DONE && machine->memory_hooks)
        machine->memory_hooks->ended(node);
    if (way == EXIT_DONE)
        check_requests(node);
    else if (way == EXIT_CRASHED)
        crash_report(node);
    else if (way == EXIT_EXPIRED)
        expired_report(node);
    memory_clear(node);
    set_state(node, way == EXIT_DONE ? NODE_FINISHED : NODE_FAILED);
    machine->engine->leave(node, next_after(node));
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
            make_rounds(machine, NULL); /* the phase ended meanwhile, and only we are left to make the round */
    }
}
