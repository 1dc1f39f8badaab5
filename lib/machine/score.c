/* SPDX-License-Identifier: MIT */
/* What is played, and when.  Everything else runs as if there were no scores: in doubt a call runs.
 *
 * A node that calls a collective of the whole machine, and has nothing else under way, offers the call and parks.  When
 * the phase is over and all nodes have offered the same, the maker of the round has them run it, run it recorded, or
 * carries it out.  When some have not, those that did go on first, and then the phase is what it would have been. */
#include "lib/machine/score.h"
#include "lib/machine/host.h"
#include "lib/machine/own.h"
#include <stdlib.h>
#include <string.h>

/* Calls of a kind that run before one is recorded, on FEW_NODES at most and on more.  Recording takes as long as a
 * dozen calls, or two: however many there are, they take at most 1.2 times what they would.  PEAL_PLAY in the
 * environment is another number; 0: none is played. */
enum { RUNS_FIRST = 80, RUNS_FIRST_MANY = 12, FEW_NODES = 256 };

/* So often more than played a kind is offered in vain before it is offered no more.  So many calls are played before
 * another kind is recorded than there is room for: a program may have more kinds than that, in turns. */
enum { IN_VAIN = 16, PLAYED_EACH = 64, MAX_NODES = 1 << 16 };

/* ------------------------------------------------------------------ runs */

static bool
make(struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes;
    struct scores *scores = machine->scores = calloc(1, sizeof *scores);

    if (scores && (scores->rows = own_pages(nodes * sizeof *scores->rows)) &&
        (scores->held = malloc(nodes * sizeof *scores->held)))
        return true;
    scores_destroy(machine);
    return false;
}

void
scores_begin(struct peal_machine *machine)
{
    const char *wanted = getenv("PEAL_PLAY");
    int nodes = machine->options.nodes, first = nodes <= FEW_NODES ? RUNS_FIRST : RUNS_FIRST_MANY;

    if (wanted && *wanted >= '0' && *wanted <= '9')
        first = atoi(wanted);

    scores_end(machine);
    if (machine->scores)
        machine->scores->played = machine->scores->recorded = 0;
    if (first <= 0 || !machine->short_calls || machine->listener || nodes < 2 || nodes > MAX_NODES ||
        !(machine->scores || make(machine)))
        return;
    machine->offers = true;
    machine->scores->runs_first = (uint8_t)(first < UINT8_MAX ? first : UINT8_MAX);
    memset(machine->scores->rows, 0, (size_t)nodes * sizeof *machine->scores->rows);
}

void
scores_end(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;

    machine->records = machine->offers = machine->goes_on = false;
    if (!scores)
        return;
    for (int i = 0; i < SCORE_KINDS; i++)
        score_fini(&scores->kinds[i]);
    scores->recording = NULL;
    scores->held_count = 0;
}

void
scores_destroy(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;

    if (!scores)
        return;
    scores_end(machine);
    if (scores->rows)
        own_unmap(scores->rows, (size_t)machine->options.nodes * sizeof *scores->rows);
    free(scores->operators);
    free(scores->held);
    free(scores);
    machine->scores = NULL;
}

uint64_t
peal_machine_played(const struct peal_machine *machine)
{
    return machine->scores ? machine->scores->played : 0;
}

/* ------------------------------------------------------------------ a node's call */

static struct score *
place_of(struct scores *scores, uint32_t kind)
{
    return &scores->kinds[(kind - 1) % SCORE_KINDS];
}

/* Whether calls of this kind may be played, or recorded. */
static bool
is_wanted(struct scores *scores, uint32_t kind)
{
    const struct score *score = place_of(scores, kind);

    return score->kind == kind ? score->state != SCORE_LIVE
                               : scores->recorded < SCORE_KINDS + scores->played / PLAYED_EACH;
}

/* Whether the node may offer the call: one of the whole machine, from the program, with equal blocks and one of our own
 * operators, and the node has nothing else under way. */
static bool
may_offer(const struct peal_node *me, const struct peal_call *call, const struct peal_arguments *x)
{
    const struct node *node = me->node;
    const struct peal_machine *machine = node->machine;
    const struct round_node *boxes = &machine->round.node[node->rank];

    return node->kind && is_wanted(machine->scores, node->kind) && !me->collective && me->group == &machine->world &&
           !node->parks_apart && node->open == 0 && node->operations == 0 && (boxes->outbox | boxes->mailbox) == 0 &&
           !call->unequal && !call->list && !x->to && (!call->op || (x->op->pure && !x->op->combine_with)) &&
           call->plan;
}

bool
score_call(const struct peal_node *me, const struct peal_node *entered, const struct peal_call *call,
           struct peal_arguments *x)
{
    struct node *node = me->node;
    struct peal_machine *machine = node->machine;

    if (!machine->offers || !may_offer(me, call, x) || atomic_load_explicit(&machine->stopping, memory_order_relaxed))
        return false;
    struct score_row *row = &machine->scores->rows[node->rank];
    uint8_t *seen = &row->seen[(node->kind - 1) % SCORE_KINDS];

    if (*seen < machine->scores->runs_first) {
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
        machine->scores->call = *call;
    node->inside = true;
    node_park(node, NODE_OFFERS);
    node->inside = false;
    if (row->verdict == SCORE_RECORDS && row->combine && !row->exact)
        x->op = &machine->scores->operators[node->rank];
    return row->verdict == SCORE_PLAYED;
}

/* ------------------------------------------------------------------ the end of a phase */

/* Whether all nodes have offered the same. */
static bool
is_same(const struct peal_machine *machine)
{
    const struct score_row *first = &machine->scores->rows[0];

    for (int n = 1; n < machine->options.nodes; n++) {
        const struct score_row *row = &machine->scores->rows[n];

        if (row->kind != first->kind || row->combine != first->combine || row->word_bytes != first->word_bytes)
            return false;
    }
    return true;
}

/* Carry out the call, or record it. */
static enum score_verdict
try(struct peal_machine *machine, struct score *score)
{
    struct scores *scores = machine->scores;
    const struct round *round = &machine->round;

    if (machine->failed || machine->mismatched || machine->unfinished != machine->options.nodes ||
        round->unmatched + round->pending > 0 || !is_same(machine))
        return SCORE_RUNS;
    if (score->state == SCORE_PLAYS)
        return score->word_bytes == scores->rows[0].word_bytes && score->exact == scores->rows[0].exact &&
                       peal_cost_counted(peal_cost_add(round->cost, score->cost)) && score_play(machine, score)
                   ? SCORE_PLAYED
                   : SCORE_RUNS;
    scores->recorded++;
    return score_record(machine, score, &scores->call) ? SCORE_RECORDS : SCORE_RUNS;
}

/* What becomes of the calls that some nodes, or all, have offered. */
static enum score_verdict
judge(struct peal_machine *machine, bool all)
{
    struct scores *scores = machine->scores;
    size_t first = 0;

    while (machine->nodes[machine->runnable[first]].state != NODE_OFFERS)
        first++;
    uint32_t kind = scores->rows[machine->runnable[first]].kind;
    struct score *score = place_of(scores, kind);

    if (scores->recording)
        return SCORE_RUNS;
    if (score->kind != kind) { /* the call is another one since */
        score_fini(score);
        score->kind = kind;
    }
    enum score_verdict verdict = all && score->state != SCORE_LIVE ? try(machine, score) : SCORE_RUNS;

    if (verdict == SCORE_PLAYED)
        score->played++, scores->played++;
    else if (score->state != SCORE_LIVE && ++score->refused > IN_VAIN + score->played)
        score->state = SCORE_LIVE;
    return verdict;
}

/* Let the nodes that have offered go on. */
static void
go_on(struct peal_machine *machine, enum score_verdict verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < machine->runnable_count; i++)
        if (machine->nodes[machine->runnable[i]].state == NODE_OFFERS) {
            machine->scores->rows[machine->runnable[i]].verdict = (uint8_t)verdict;
            machine->runnable[count++] = machine->runnable[i];
        }
    machine->runnable_count = count;
    machine->goes_on = verdict != SCORE_PLAYED;
    for (int i = 0; i < machine->carrier_count; i++)
        machine->carriers[i].states &= ~(UINT32_C(1) << NODE_OFFERS);
    if (verdict == SCORE_PLAYED) {
        machine->idle_rounds = machine->slept_rounds = 0;
        progress_note(machine);
    }
}

bool
scores_phase(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    uint32_t states = 0;
    bool quiet = true;

    for (int i = 0; i < machine->carrier_count; i++) {
        const struct carrier *carrier = &machine->carriers[i];

        states |= carrier->states;
        quiet &= !carrier->printed && carrier->operations == 0;
    }
    if (scores->recording && scores->left == machine->options.nodes)
        score_recorded(machine);
    if (!(states & UINT32_C(1) << NODE_OFFERS) ||
        atomic_load(&machine->overflowed) >= 0) { /* it may have overwritten the others' stacks */
        machine->goes_on = false;
        if (scores->held_count > 0) { /* those that went on have parked: the phase is over */
            memcpy(machine->runnable, scores->held, scores->held_count * sizeof *scores->held);
            machine->runnable_count = scores->held_count;
            scores->held_count = 0;
        }
        return false;
    }
    bool all = states == UINT32_C(1) << NODE_OFFERS && machine->runnable_count == (size_t)machine->options.nodes;

    if (!all && scores->held_count == 0) {
        memcpy(scores->held, machine->runnable, machine->runnable_count * sizeof *scores->held);
        scores->held_count = machine->runnable_count;
    }
    go_on(machine, judge(machine, all && quiet && scores->held_count == 0));
    return true;
}
