/* SPDX-License-Identifier: MIT */
/* Rounds: what the parked nodes have in common, the round itself, and the nodes that it releases. */
#include "lib/machine/rounds.h"
#include "lib/machine/callers.h"
#include "lib/machine/copy.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include "lib/machine/lend.h"
#include "lib/machine/meet.h"
#include "lib/machine/output.h"
#include "lib/machine/progress.h"
#include "lib/machine/requests.h"
#include "lib/machine/strand.h"
#include "lib/round/match.h"
#include <peal/outside.h>

/* After this many rounds of polling the machine counts as stuck, and lending or a chooser may act.  A round in which a
 * node sleeps counts as a hundredth of one. */
enum { POLLED_ROUNDS = 100, SLEPT_ROUNDS = 100 };

/* After this many rounds of polling, nodes that wait for ever whatever the others do are a deadlock. */
enum { HOPELESS_ROUNDS = 100000 };

/* ------------------------------------------------------------------ releasing nodes */

/* Whether a node with strands is among the released: several things may release it in one round. */
static bool
was_released(const struct peal_machine *machine, struct node *node)
{
    if (!node->parks_apart)
        return false;
    bool before = node->strands->released == machine->rounds_made;

    node->strands->released = machine->rounds_made;
    return before;
}

static void
rounds_release(struct peal_machine *machine, struct node *node)
{
    if (was_released(machine, node))
        return;
    node->state = NODE_RUNS;
    machine->phase.runnable[machine->phase.runnable_count++] = node->rank;
}

/* Sort runnable[] by rank. */
static void
sort_runnable(struct peal_machine *machine)
{
    int32_t *ranks = machine->phase.runnable;
    size_t count = machine->phase.runnable_count;

    if (count == (size_t)machine->options.nodes) { /* all of them */
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

        machine->phase.marks[word] |= UINT64_C(1) << (ranks[i] % 64);
        if (word < low)
            low = word;
        if (word > high)
            high = word;
    }
    size_t sorted = 0;

    for (size_t word = low; word <= high; word++)
        for (; machine->phase.marks[word]; machine->phase.marks[word] &= machine->phase.marks[word] - 1)
            ranks[sorted++] = (int32_t)(word * 64) + __builtin_ctzll(machine->phase.marks[word]);
}

/* Release the node if it waits for a place in this box. */
static void
release_poster(struct peal_machine *machine, int32_t rank, enum request_kind box)
{
    struct node *node = &machine->nodes[rank];

    if (node->state == NODE_POSTS && (node->blocked_box & box))
        rounds_release(machine, node);
}

/* Release the nodes that the round has served.  Gives how many were released, not counting those that only rested. */
static size_t
release_served(struct peal_machine *machine, size_t resting)
{
    struct round *round = &machine->round;

    if (round->released_count > 0) /* their states are not read before they run */
        memcpy(machine->phase.runnable + machine->phase.runnable_count, round->released,
               round->released_count * sizeof *round->released);
    machine->phase.runnable_count += round->released_count;
    if (atomic_load_explicit(&machine->has_strands, memory_order_relaxed))
        for (size_t i = 0; i < machine->phase.runnable_count; i++)
            was_released(machine, &machine->nodes[machine->phase.runnable[i]]);
    for (size_t i = 0; machine->boxes_filled && i < round->complete_count; i++)
        release_poster(machine, round->requests[round->complete[i]].node, REQUEST_RECEIVE);
    for (size_t i = 0; machine->boxes_filled && i < round->settled_count; i++) {
        const struct request *request = &round->requests[round->settled[i]];

        release_poster(machine, request->node, request->kind == REQUEST_SEND ? REQUEST_SEND : REQUEST_RECEIVE);
    }
    for (size_t i = 0; machine->boxes_filled && i < round->transfer_count; i++) {
        const struct request *request = &round->requests[round->admitted[i]];

        release_poster(machine, request->node, REQUEST_SEND);
        if (request->flags & REQUEST_MATCHED && !is_access(request->kind))
            release_poster(machine, round->transfers[i].to, REQUEST_RECEIVE);
    }
    return machine->phase.runnable_count - resting;
}

enum { ENDED = 1 << NODE_FINISHED | 1 << NODE_FAILED, RESTING = 1 << NODE_TESTS | 1 << NODE_RESTS | 1 << NODE_SLEEPS };

/* What the nodes that ran have in common. */
struct phase_sum {
    uint32_t states;
    bool printed;
    int64_t operations; /* the largest number that one of them declared */
    size_t splitting;   /* nodes that split their group, or meet: the length of machine->phase.splitting */
};

static struct phase_sum
sum_phase(struct peal_machine *machine)
{
    struct phase_sum sum = {0};

    for (int i = 0; i < machine->phase.carrier_count; i++) {
        struct carrier *carrier = &machine->phase.carriers[i];

        sum.states |= carrier->states;
        sum.printed |= carrier->printed;
        if (carrier->operations > sum.operations)
            sum.operations = carrier->operations;
        carrier->states = 0;
        carrier->printed = false;
        carrier->operations = 0;
    }
    machine->boxes_filled |= (sum.states & 1 << NODE_POSTS) != 0;
    if (!(sum.states & (ENDED | 1 << NODE_SPLITS | 1 << NODE_MEETS)))
        return sum;
    for (size_t i = 0; i < machine->phase.runnable_count; i++) {
        const struct node *node = &machine->nodes[machine->phase.runnable[i]];

        if (node->state == NODE_FINISHED || node->state == NODE_FAILED)
            machine->phase.unfinished--;
        else if (node->split || node->meets)
            machine->phase.splitting[sum.splitting++] = node->rank;
    }
    return sum;
}

/* Nodes that rest are done: they stay in runnable[], all others leave it. */
static void
keep_resting(struct peal_machine *machine, uint32_t states)
{
    size_t kept = 0;

    for (size_t i = 0; (states & RESTING) && i < machine->phase.runnable_count; i++) {
        struct node *node = &machine->nodes[machine->phase.runnable[i]];

        if (1 << node->state & RESTING)
            machine->phase.runnable[kept++] = machine->phase.runnable[i];
    }
    machine->phase.runnable_count = kept;
}

/* ------------------------------------------------------------------ making rounds */

/* Let every node that has not ended return from its park, to be unwound. */
static void
rounds_unwind(struct peal_machine *machine)
{
    atomic_store(&machine->stopping, true);
    machine->unwinding = true;
    crash_hooks->abandon(machine);
    machine->phase.runnable_count = 0;
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        struct node *node = &machine->nodes[rank];

        if (node->state != NODE_FINISHED && node->state != NODE_FAILED)
            machine->phase.runnable[machine->phase.runnable_count++] = rank;
    }
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
rounds_notify(struct peal_machine *machine)
{
    for (struct round_listener *listener = machine->listener; listener; listener = listener->next)
        listener->look(machine, listener->arg);
}

/* Append the round to the schedule, with the calls that posted its messages where they are wanted. */
static bool
rounds_record(struct peal_machine *machine)
{
    if (machine->callers)
        callers_see(machine);
    if (round_keep(&machine->round))
        return true;
    failure_set(machine, 0, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory to record the schedule");
    return false;
}

/* One-sided requests begin, which use ports of nodes that are in blocking calls: from now on the ports do not say when
 * such a call's transfers ended, its requests do. */
static void
note_ends(struct peal_machine *machine)
{
    struct request *requests = machine->requests;

    for (int rank = 0; rank < machine->options.nodes; rank++)
        for (uint32_t id = machine->nodes[rank].open; id; id = requests[id].open_next)
            if (requests[id].flags & REQUEST_BLOCKING && requests[id].flags & REQUEST_COMPLETE)
                requests[id].clock = round_end_of(&machine->round, &requests[id]);
    machine->round.accessed = true;
}

/* A receive waits for its chooser.  Sends are lent first, so that it may choose among all messages that could be
 * buffered: nothing is stuck, so that is not reported. */
static bool
rounds_choose(struct peal_machine *machine)
{
    struct match_chooser *chooser = machine->match_chooser;

    if (!chooser)
        return false;
    if ((round_next_option(&machine->round, &(struct round_option){0}) ||
         (chooser->is_asked && chooser->is_asked(chooser, machine))) &&
        machine_lend(machine, rounds_release, false))
        return true;
    return chooser->choose(chooser, machine, rounds_release);
}

/* Nothing can be chosen either: tests are answered with "not yet". */
static bool
rounds_refuse(struct peal_machine *machine)
{
    struct match_chooser *chooser = machine->match_chooser;

    return chooser && chooser->refuse && chooser->refuse(chooser, machine, rounds_release);
}

/* The lowest of the nodes that poll, or of those that wait, with another thread that may call; -1: none has one. */
static int
find_other_threads(const struct peal_machine *machine, bool polls)
{
    for (int rank = 0; other_threads && rank < machine->options.nodes; rank++) {
        const enum node_state state = (enum node_state)machine->nodes[rank].state;

        if (state < NODE_FINISHED && (state == NODE_RUNS) == polls && other_threads->may_call(rank, polls))
            return rank;
    }
    return -1;
}

/* Nothing moves, or the program polls without end; `waiting` is a node whose other thread could change that, or -1. */
static void
end_for_good(struct peal_machine *machine, bool polls, int waiting)
{
    if (waiting >= 0)
        other_threads->refuse(waiting);
    else if (polls)
        reporter->livelock(machine, machine->options.patience);
    else
        reporter->deadlock(machine);
}

/* Only `resting` nodes that test or rest have moved for a while.  A match chooser may have a match for the next round;
 * sends may be lent. */
static void
end_stuck(struct peal_machine *machine, size_t resting)
{
    if (reporter->uncalled(machine))
        return;
    bool chosen = rounds_choose(machine);

    if (!chosen && machine->phase.idle_rounds % POLLED_ROUNDS != 0 &&
        rounds_refuse(machine)) /* a polling program may go on */
        return;

    const int polling = chosen ? -1 : find_other_threads(machine, true),
              waiting = chosen ? -1 : find_other_threads(machine, false);

    if (chosen || machine_lend(machine, rounds_release, polling < 0 && waiting < 0))
        machine->phase.idle_rounds = 0;
    else if (!rounds_refuse(machine) && resting == 0)
        end_for_good(machine, false, waiting);
    else if (polling < 0 && machine->phase.idle_rounds >= machine->options.patience)
        end_for_good(machine, true, waiting);
    else if (polling < 0 && waiting < 0 && machine->phase.idle_rounds % HOPELESS_ROUNDS == 0)
        reporter->hopeless(machine);
}

/* The round carried nothing and released only nodes that test or rest. */
static void
note_idle(struct peal_machine *machine, size_t resting, uint32_t states)
{
    if ((states & 1 << NODE_SLEEPS) && ++machine->phase.slept_rounds < SLEPT_ROUNDS)
        return;
    machine->phase.slept_rounds = 0;
    machine->phase.idle_rounds++;
    if (resting == 0 || machine->phase.idle_rounds % POLLED_ROUNDS == 0 ||
        machine->phase.idle_rounds >= machine->options.patience)
        end_stuck(machine, resting);
}

/* Fail the run if its cost is too large to count. */
static void
rounds_check_cost(struct peal_machine *machine)
{
    if (!peal_cost_counted(machine->round.cost))
        failure_set(machine, 0, PEAL_BAD_SIZE, NULL, 0,
                    "the cost of the run is too large to count: a coefficient is at most %lld",
                    (long long)INT64_MAX - 1);
}

/* Whether a receive waits for its chooser that may take the send. */
static bool
is_awaited(const struct round *round, const struct request *send)
{
    uint32_t id = round->hold ? round->node[send->peer].receives : 0;

    while (id && !may_take(&round->requests[id], send))
        id = round->requests[id].next;
    return id;
}

/* A ready send requires that its receive is posted.  Find the ready sends without one. */
static __attribute__((noinline)) void
find_unready(struct peal_machine *machine)
{
    atomic_store_explicit(&machine->readies, false, memory_order_relaxed);
    for (size_t i = 0; i < machine->phase.runnable_count; i++) {
        struct node *node = &machine->nodes[machine->phase.runnable[i]];

        for (uint32_t id = node->ready; id; id = machine->extras[id].next_ready) {
            const struct request *send = &machine->requests[id];

            if (!(send->flags & REQUEST_MATCHED) && !is_awaited(&machine->round, send))
                reporter->unready(node, send);
        }
        node->ready = 0;
    }
}

/* The words of kept sends have left the machine's copy: loans are repaid, and buffered ones no longer count. */
static void
note_unbuffered(struct peal_machine *machine)
{
    for (size_t i = 0; i < machine->round.taken_count; i++) {
        uint32_t id = machine->round.taken[i];
        const struct request *request = &machine->requests[id];

        if (request->kind != REQUEST_SEND || !(request->flags & REQUEST_KEPT))
            continue;
        if ((request->flags & REQUEST_EXTRA) && machine->extras[id].mode == PEAL_BUFFERED) {
            machine->nodes[request->node].buffered--;
            machine->nodes[request->node].buffered_words -= request->words;
        } else if (!(request->flags & REQUEST_EAGER)) {
            loan_repaid(machine, id);
        }
    }
}

/* Free the requests that the round has completed and no node waits for. */
static __attribute__((noinline)) void
recycle_taken(struct peal_machine *machine)
{
    for (size_t i = 0; i < machine->round.taken_count; i++) {
        uint32_t id = machine->round.taken[i];
        const struct request *request = &machine->requests[id];
        struct node *node = &machine->nodes[request->node];

        if (request->flags & REQUEST_LET_GO)
            request_consume(node, id);
        else
            request_recycle(node->carrier, machine->requests, id);
    }
}

/* Make one round; false when the run failed. */
static bool
make_round(struct peal_machine *machine)
{
    struct round *round = &machine->round;
    struct round_failure wrong;
    struct phase_sum sum = sum_phase(machine);

    if (sum.printed)
        output_print(machine, machine->phase.runnable, machine->phase.runnable_count, false);
    if (machine->mismatched)
        reporter->differences(machine);
    if (machine->reports.failed)
        return false;
    if (machine->phase.unfinished == 0) {
        /* posts since the last round are taken in without a round, only to be reported as unreceived */
        round_close(round, sum.operations);
        if (rounds_record(machine))
            rounds_notify(machine);
        rounds_check_cost(machine);
        if (!reporter->uncalled(machine) && atomic_load(&machine->keeps))
            reporter->unmatched(machine);
        return false;
    }

    if (atomic_load_explicit(&machine->accesses, memory_order_relaxed) && !round->accessed)
        note_ends(machine);
    enum round_status status =
        round_make(round, machine->phase.runnable, machine->phase.runnable_count, sum.operations, &wrong);

    machine->rounds_made++;
    if (status == ROUND_NO_MEMORY) {
        failure_set(machine, 0, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory for round %llu",
                    (unsigned long long)round->number);
        return false;
    }
    if (atomic_load_explicit(&machine->readies, memory_order_relaxed) && status == ROUND_MADE)
        find_unready(machine);
    if (status == ROUND_FAILED) {
        reporter->truncated(machine, &wrong);
        return false;
    }
    if (!rounds_record(machine))
        return false;
    rounds_check_cost(machine); /* the round is made, and its nodes go on: they are unwound then */
    const struct memory_hooks *hooks = machine->memory_hooks;

    for (size_t i = 0; hooks && hooks->room && i < round->copy_count; i++)
        round->copies[i].bytes = hooks->room(round->copies[i].to, round->copies[i].bytes);
    void *fault = copies_perform(machine, round->copies, round->copy_count);

    if (!fault && round->access_count > 0)
        fault = accesses_perform(machine);

    if (fault) {
        reporter->bad_buffer(machine, fault);
        return false;
    }
    rounds_notify(machine);
    if (machine->records)
        score_hooks->round(machine);
    note_unbuffered(machine);
    round_delivered(round);
    progress_note(machine);
    keep_resting(machine, sum.states);

    size_t resting = machine->phase.runnable_count, served = release_served(machine, resting);

    if (sum.splitting > 0) {
        served += meetings_hold(machine, machine->phase.splitting, sum.splitting, rounds_release);
        served += groups_split(machine, machine->phase.splitting, sum.splitting, rounds_release);
    }
    if (round->taken_count > 0)
        recycle_taken(machine);
    if (machine->reports.failed)
        return false;
    if (round->transfer_count > 0 || served > 0)
        machine->phase.idle_rounds = machine->phase.slept_rounds = 0;
    else
        note_idle(machine, resting, sum.states);
    return !machine->reports.failed;
}

bool
rounds_next(struct peal_machine *machine)
{
    if (machine->offers && !machine->unwinding && score_hooks->phase(machine))
        return true;
    do {
        if (machine->unwinding) /* now they all are unwound */
            return false;
        if (!make_round(machine)) {
            if (machine->reports.failed)
                reporter->nodes(machine);
            rounds_unwind(machine);
            return machine->phase.runnable_count > 0;
        }
    } while (machine->phase.runnable_count == 0);
    sort_runnable(machine);
    return true;
}
