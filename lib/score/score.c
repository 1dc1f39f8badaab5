/* SPDX-License-Identifier: MIT */
/* What is played, and when.  Everything else runs as if there were no scores: in doubt a call runs.
 *
 * A node that calls a collective of the whole machine, and has nothing else under way, offers the call and parks.  When
 * the phase is over and all nodes have offered the same, the maker of the round has them run it, run it recorded, or
 * carries it out.  When some have not, those that did go on first; then the phase is as without offers. */
#include "lib/score/score.h"
#include "lib/machine/carrier.h"
#include "lib/machine/hooks.h"
#include "lib/machine/host.h"
#include "lib/machine/park.h"
#include "lib/machine/progress.h"
#include "lib/machine/size_classes.h"
#include <stdlib.h>

/* Calls of a kind that run before one is recorded.  Recording and first playing one takes as much longer as one call
 * (1024 nodes) to eight (8 nodes).  Eight are a fifth of 40: however many calls there are, they take at most 1.2 times
 * what they would if none were played.  PEAL_PLAY in the environment is another number; 0: none is played. */
enum { RUNS_FIRST = 40 };

/* A kind that was refused IN_VAIN times more often than it was played is no longer offered.  Once SCORES calls are
 * recorded, one more is recorded for each PLAYED_EACH that were played: a program may have more kinds, in turns. */
enum { IN_VAIN = 16, PLAYED_EACH = 64, MAX_NODES = 1 << 16 };

/* ------------------------------------------------------------------ runs */

static size_t
scores_bytes(const struct peal_machine *machine)
{
    const struct scores *scores; /* of which only sizes are taken */

    return (size_t)machine->options.nodes * (sizeof *scores->rows + sizeof *scores->operators + sizeof *scores->held) +
           score_clock_count(machine) * sizeof *scores->clocks + sizeof *scores;
}

static void
scores_clear(struct scores *scores)
{
    for (int i = 0; scores && i < SCORES; i++)
        score_fini(&scores->scores[i]);
}

static void
scores_destroy(struct peal_machine *machine)
{
    scores_clear(machine->scores);
    if (machine->scores)
        own_unmap(machine->scores->rows, scores_bytes(machine));
    machine->scores = NULL;
}

static void
scores_begin(struct peal_machine *machine)
{
    const char *wanted = getenv("PEAL_PLAY");
    int nodes = machine->options.nodes, first = wanted && *wanted >= '0' && *wanted <= '9' ? atoi(wanted) : RUNS_FIRST;

    machine->offers = first > 0 && machine->short_calls && !machine->listener && nodes > 1 && nodes <= MAX_NODES;
    machine->records = machine->goes_on = false;
    scores_clear(machine->scores);
    struct score_row *rows = machine->scores   ? machine->scores->rows
                             : machine->offers ? own_pages(scores_bytes(machine))
                                               : NULL;
    if (!rows) {
        machine->offers = false;
        return;
    }
    struct peal_cost *clocks = (void *)(rows + nodes);
    struct peal_op *operators = (void *)(clocks + score_clock_count(machine));
    struct scores *scores = machine->scores = (void *)(operators + nodes);

    memset(rows, 0, (size_t)nodes * sizeof *rows);
    *scores = (struct scores){.rows = rows, .clocks = clocks, .operators = operators, .held = (void *)(scores + 1)};
    scores->runs_first = (uint8_t)(first < UINT8_MAX ? first : UINT8_MAX);
}

uint64_t
peal_machine_played(const struct peal_machine *machine)
{
    return machine->scores ? machine->scores->played : 0;
}

/* ------------------------------------------------------------------ a node's call */

static struct score_kind *
scores_kind(struct scores *scores, uint32_t number)
{
    return &scores->kinds[number % SCORES];
}

/* Whether another call may be recorded. */
static bool
may_record(const struct scores *scores)
{
    return scores->recorded < SCORES + scores->played / PLAYED_EACH;
}

/* Whether calls of this kind may be played, or recorded. */
static bool
scores_kind_is_wanted(struct scores *scores, uint32_t number)
{
    const struct score_kind *kind = scores_kind(scores, number);

    return kind->number == number ? !kind->runs : may_record(scores);
}

/* Whether the node may offer the call: one of the whole machine, from the program, with equal blocks and one of our own
 * operators, and the node has nothing else under way. */
static bool
may_offer(const struct peal_node *me, const struct peal_call *call, const struct peal_arguments *x)
{
    const struct node *node = me->node;
    const struct peal_machine *machine = node->machine;
    const struct round_node *boxes = &machine->round.node[node->rank];

    return node->kind && scores_kind_is_wanted(machine->scores, node->kind) && !me->collective &&
           me->group == &machine->world && !node->parks_apart && node->open == 0 && node->operations == 0 &&
           (boxes->outbox | boxes->mailbox) == 0 && !call->unequal && !call->list && !x->to &&
           (!call->op || (x->op->pure && !x->op->combine_with)) && call->plan;
}

bool
score_call(const struct peal_node *me, const struct peal_node *entered, const struct peal_call *call,
           struct peal_arguments *x)
{
    struct node *node = me->node;
    struct peal_machine *machine = node->machine;

    if (!machine->offers || !may_offer(me, call, x) || atomic_load_explicit(&machine->stopping, memory_order_relaxed))
        return false;
    struct scores *scores = machine->scores;
    struct score_row *row = &scores->rows[node->rank];
    uint8_t *seen = &row->seen[node->kind % SCORES];

    if (*seen < scores->runs_first) {
        ++*seen;
        return false;
    }
    row->in = (char *)(uintptr_t)(call->form->in == PEAL_SIDE_NONE ? x->out : x->in);
    row->out = x->out;
    row->combine = call->op ? x->op->combine : NULL;
    row->exact = call->op && x->op->exact;
    row->file = entered->file;
    row->line = entered->line;
    row->kind = node->kind;
    row->word_bytes = (uint32_t)peal_word_bytes(me);
    row->verdict = SCORE_RUNS;
    if (node->rank == 0)
        scores->call = *call;
    node->inside = true;
    node_park(node, NODE_OFFERS);
    node->inside = false;
    if (row->verdict == SCORE_RECORDS)
        score_enter(node, x);
    return row->verdict == SCORE_PLAYED;
}

/* ------------------------------------------------------------------ the end of a phase */

/* Whether all nodes have offered the same call; *places: a hash of their lines, if transfers keep those. */
static bool
scores_offers_are_equal(const struct peal_machine *machine, uint64_t *places)
{
    const struct score_row *first = &machine->scores->rows[0];

    *places = 0;
    for (int n = 0; n < machine->options.nodes; n++) {
        const struct score_row *row = &machine->scores->rows[n];

        if (row->kind != first->kind || row->combine != first->combine || row->word_bytes != first->word_bytes)
            return false;
        if (machine->callers)
            *places = map_mix(map_mix(*places, (uintptr_t)row->file), (uint64_t)row->line);
    }
    return true;
}

/* The recorded call that this one is like; NULL: none. */
static struct score *
scores_find(struct peal_machine *machine, const struct score_row *call, uint64_t places)
{
    struct scores *scores = machine->scores;
    size_t bytes = score_clock_count(machine) * sizeof *scores->clocks;

    for (struct score *score = scores->scores; score < scores->scores + SCORES; score++)
        if (score->kind == call->kind && score->word_bytes == call->word_bytes && score->combine == call->combine &&
            score->places == places && memcmp(score->before, scores->clocks, bytes) == 0)
            return score;
    return NULL;
}

/* Carry out the call, or record it. */
static enum score_verdict
scores_try(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    const struct round *round = &machine->round;
    uint64_t places;

    if (machine->reports.failed || machine->mismatched || round->unmatched + round->pending > 0 ||
        !scores_offers_are_equal(machine, &places))
        return SCORE_RUNS;
    score_clocks(machine, round->clocks.node, round->clocks.node[0], scores->clocks);
    struct score *score = scores_find(machine, scores->rows, places);

    if (score)
        return peal_cost_counted(peal_cost_add(round->cost, score->cost)) && score_play(machine, score) ? SCORE_PLAYED
                                                                                                        : SCORE_RUNS;
    if (!may_record(scores))
        return SCORE_RUNS;
    score = &scores->scores[scores->recorded++ % SCORES];
    score_fini(score);
    score->places = places;
    return score_record(machine, score, scores->rows) ? SCORE_RECORDS : SCORE_RUNS;
}

/* What becomes of the calls that some nodes, or all, have offered. */
static enum score_verdict
scores_decide(struct peal_machine *machine, bool all)
{
    struct scores *scores = machine->scores;
    size_t first = 0;

    while (machine->nodes[machine->phase.runnable[first]].state != NODE_OFFERS)
        first++;
    uint32_t number = scores->rows[machine->phase.runnable[first]].kind;
    struct score_kind *kind = scores_kind(scores, number);

    if (scores->recording)
        return SCORE_RUNS;
    if (kind->number != number)
        *kind = (struct score_kind){.number = number};
    enum score_verdict verdict = all && !kind->runs ? scores_try(machine) : SCORE_RUNS;

    if (verdict == SCORE_PLAYED)
        kind->played++, scores->played++;
    else if (++kind->refused > IN_VAIN + kind->played)
        kind->runs = true;
    return verdict;
}

/* Let the nodes that have offered go on. */
static void
scores_resume(struct peal_machine *machine, enum score_verdict verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < machine->phase.runnable_count; i++)
        if (machine->nodes[machine->phase.runnable[i]].state == NODE_OFFERS) {
            machine->scores->rows[machine->phase.runnable[i]].verdict = (uint8_t)verdict;
            machine->phase.runnable[count++] = machine->phase.runnable[i];
        }
    machine->phase.runnable_count = count;
    machine->goes_on = verdict != SCORE_PLAYED;
    for (int i = 0; i < machine->phase.carrier_count; i++)
        machine->phase.carriers[i].states &= ~(UINT32_C(1) << NODE_OFFERS);
    if (verdict == SCORE_PLAYED) {
        machine->phase.idle_rounds = machine->phase.slept_rounds = 0;
        progress_note(machine);
    }
}

/* The phase is over.  True: nodes that offered their calls go on, before there is a round. */
static bool
phase(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    uint32_t states = 0;
    bool quiet = true;

    for (int i = 0; i < machine->phase.carrier_count; i++) {
        const struct carrier *carrier = &machine->phase.carriers[i];

        states |= carrier->states;
        quiet &= !carrier->printed && carrier->operations == 0;
    }
    if (scores->recording && scores->left == machine->options.nodes)
        score_recorded(machine);
    if (!(states & UINT32_C(1) << NODE_OFFERS) ||
        atomic_load(&machine->stacks.overflowed) >= 0) { /* it may have overwritten the others' stacks */
        machine->goes_on = false;
        if (scores->held_count > 0) { /* those that went on have parked: the phase is over */
            memcpy(machine->phase.runnable, scores->held, scores->held_count * sizeof *scores->held);
            machine->phase.runnable_count = scores->held_count;
            scores->held_count = 0;
        }
        return false;
    }
    bool all = states == UINT32_C(1) << NODE_OFFERS && machine->phase.runnable_count == (size_t)machine->options.nodes;

    if (!all && scores->held_count == 0) {
        memcpy(scores->held, machine->phase.runnable, machine->phase.runnable_count * sizeof *scores->held);
        scores->held_count = machine->phase.runnable_count;
    }
    scores_resume(machine, scores_decide(machine, all && quiet && scores->held_count == 0));
    return true;
}

static const struct score_hooks hooks = {
    .begin = scores_begin, .destroy = scores_destroy, .phase = phase, .round = score_note_round};

__attribute__((constructor)) static void
offer(void)
{
    score_hooks = &hooks;
}
