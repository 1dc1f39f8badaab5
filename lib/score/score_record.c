/* SPDX-License-Identifier: MIT */
/* Recording a collective as it runs, and playing its rounds and clocks. */
#include "lib/machine/callers.h"
#include "lib/machine/failure.h"
#include "lib/score/score.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ clocks */

/* What rounds do to clocks depends on their differences alone: the later of two is decided by their difference, and a
 * transfer adds its cost.  So a call that finds clocks as far apart as the recorded one leaves them as far apart. */

static inline struct clock_lanes
less(struct clock_lanes a, struct clock_lanes zero)
{
    return (struct clock_lanes){a.start - zero.start, a.work - zero.work};
}

/* The clocks of the ports of node 0, of which a machine that plays has one of each kind per node. */
static struct peal_cost *
ports_of(const struct peal_machine *machine, enum port_way way)
{
    const struct ports *ports = &machine->round.ports;

    return &ports->free_at[ports_row(ports, 0, way)];
}

void
score_clocks(const struct peal_machine *machine, const struct peal_cost *mine, struct peal_cost first,
             struct peal_cost *clocks)
{
    const struct clocks *now = &machine->round.clocks;
    const struct peal_cost *out = ports_of(machine, PORT_SEND), *in = ports_of(machine, PORT_RECEIVE);
    const struct clock_lanes zero = clock_load(&first);
    size_t nodes = (size_t)machine->options.nodes;

    clock_store(&clocks[3 * nodes],
                less(clock_latest(&now->parameters, clock_load(&mine[0]), clock_load(&now->last)), zero));
    for (size_t n = 0; n < nodes; n++) {
        struct clock_lanes node = clock_load(&mine[n]);

        clock_store(&clocks[n], less(node, zero));
        clock_store(&clocks[nodes + n], less(clock_latest(&now->parameters, node, clock_load(&out[n])), zero));
        clock_store(&clocks[2 * nodes + n], less(clock_latest(&now->parameters, node, clock_load(&in[n])), zero));
    }
}

static void
play_clocks(struct peal_machine *machine, const struct peal_cost *after)
{
    struct clocks *now = &machine->round.clocks;
    size_t nodes = (size_t)machine->options.nodes;
    struct peal_cost *const clocks[] = {now->node, ports_of(machine, PORT_SEND), ports_of(machine, PORT_RECEIVE)};
    const struct clock_lanes zero = clock_load(&now->node[0]);

    for (int i = 0; i < 3; i++)
        for (size_t n = 0; n < nodes; n++, after++)
            clock_store(&clocks[i][n], clock_sum(zero, clock_load(after)));
    clock_store(&now->last, clock_sum(zero, clock_load(after)));
}

/* ------------------------------------------------------------------ what nodes do */

/* The operator of a node that is recorded; closure: its row. */
static void
combine_names(const void *left, const void *right, void *result, size_t words, void *closure)
{
    struct peal_machine *machine = self->machine;
    struct scores *scores = machine->scores;

    pthread_mutex_lock(&machine->calls_lock);
    bool done = score_data_combine(&scores->recording->data, left, right, result, words, closure);
    pthread_mutex_unlock(&machine->calls_lock);
    if (!done)
        node_fail(&self->world, PEAL_OUT_OF_MEMORY, "no memory to record a collective");
}

void
score_enter(struct node *node, struct peal_arguments *x)
{
    struct scores *scores = node->machine->scores;
    const struct score_data *data = &scores->recording->data;

    if (!data->named)
        return;
    x->in = score_data_named(data, node->rank, false);
    x->out = score_data_named(data, node->rank, true);
    x->op = &scores->operators[node->rank];
}

void
score_left(const struct peal_node *me)
{
    struct peal_machine *machine = me->node->machine;
    struct scores *scores = machine->scores;
    int rank = me->node->rank;

    if (!machine->records || me->collective || !scores->rows[rank].records)
        return;
    scores->rows[rank].records = false;
    scores->recording->after[rank] = machine->round.clocks.node[rank];
    pthread_mutex_lock(&machine->calls_lock);
    scores->left++;
    scores->failed |= !score_data_left(&scores->recording->data, rank, &scores->rows[rank]);
    pthread_mutex_unlock(&machine->calls_lock);
}

/* ------------------------------------------------------------------ recording */

bool
score_record(struct peal_machine *machine, struct score *score, const struct score_row *call)
{
    struct scores *scores = machine->scores;
    int nodes = machine->options.nodes;
    size_t clocks = score_clock_count(machine);

    score->kind = call->kind;
    score->word_bytes = call->word_bytes;
    score->combine = call->combine;
    score->copies = machine->host.copies;
    score->copied_words = machine->host.copied_words;
    score->before = malloc(2 * clocks * sizeof *score->before);
    if (!score->before || !score_data_begin(&score->data, &scores->call, nodes, scores->rows)) {
        score_fini(score);
        return false;
    }
    score->after = score->before + clocks;
    memcpy(score->before, scores->clocks, clocks * sizeof *score->before);
    scores->began = machine->round.clocks.node[0];
    for (int n = 0; n < nodes; n++) {
        struct score_row *row = &scores->rows[n];

        row->records = true;
        scores->operators[n] = (struct peal_op){.name = scores->call.op,
                                                .commutative = scores->call.traits & 1,
                                                .word_bytes = row->word_bytes,
                                                .combine_with = combine_names,
                                                .closure = row};
    }
    scores->recording = score;
    scores->failed = false;
    scores->left = 0;
    machine->records = true;
    return true;
}

/* Note the round; false: it cannot be played. */
static bool
note_round(struct score *score, const struct peal_machine *machine)
{
    const struct round *round = &machine->round;
    const struct peal_schedule *schedule = &round->recorder.schedule;
    struct score_round made = {.charge = round->charge, .transfers = round->transfer_count};

    if (round->complete_count + round->settled_count + round->taken_count + round->access_count + round->reply_count >
            0 ||
        round->charge.tau > 0 ||
        !array_grow(&score->rounds, &score->rounds_room, score->round_count + 1, sizeof *score->rounds))
        return false;
    for (size_t i = 0; i < made.transfers; i++) {
        uint32_t flags = round->requests[round->admitted[i]].flags;

        if (!(flags & REQUEST_MATCHED) || flags & (REQUEST_KEPT | REQUEST_EAGER))
            return false;
        made.k = round->transfers[i].k > made.k ? round->transfers[i].k : made.k;
    }
    if (round->keep != PEAL_ROUNDS_NONE && made.transfers > 0)
        made.number = schedule->order[schedule->round_count - 1];
    score->rounds[score->round_count++] = made;
    score->cost = peal_cost_add(score->cost, made.charge);
    return true;
}

void
score_note_round(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;

    if (scores->left > 0 || (!scores->failed && !note_round(scores->recording, machine)))
        scores->failed = true;
}

void
score_recorded(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    struct score *score = scores->recording;

    scores->recording = NULL;
    machine->records = false;
    score->copies = machine->host.copies - score->copies;
    score->copied_words = machine->host.copied_words - score->copied_words;
    score_clocks(machine, score->after, scores->began, score->after);
    if (!scores->failed && machine->round.unmatched + machine->round.pending == 0 && score->round_count > 0 &&
        score->rounds[score->round_count - 1].transfers > 0 &&
        score_data_end(&score->data, machine->phase.carrier_count))
        return;
    scores->kinds[score->kind % SCORES].runs = true; /* calls of this kind cannot be played */
    score_fini(score);
}

void
score_fini(struct score *score)
{
    free(score->rounds);
    free(score->before);
    score_data_fini(&score->data);
    *score = (struct score){.kind = 0};
}

/* ------------------------------------------------------------------ playing */

static bool
play_rounds(struct peal_machine *machine, const struct score *score)
{
    struct round *round = &machine->round;
    size_t first = round->recorder.schedule.round_count;

    round->number += score->round_count;
    machine->rounds_made += score->round_count;
    for (size_t i = 0; i < score->round_count; i++) {
        const struct score_round *made = &score->rounds[i];

        if (made->transfers == 0)
            continue;
        round->cost = peal_cost_add(round->cost, made->charge);
        course_note(&round->course, (struct peal_round_summary){made->charge, round->cost, made->transfers, made->k});
        if (round->keep != PEAL_ROUNDS_NONE && !recorder_repeat(&round->recorder, made->number))
            return false;
    }
    if (round->recorder.schedule.round_count > first)
        callers_use(machine, 0, first, round->recorder.schedule.round_count - 1);
    return true;
}

bool
score_play(struct peal_machine *machine, struct score *score)
{
    uint64_t copies = machine->host.copies, copied_words = machine->host.copied_words;
    bool readable = score_data_play(&score->data, machine, machine->scores->rows);

    machine->host.copies = copies + (readable ? score->copies : 0);
    machine->host.copied_words = copied_words + (readable ? score->copied_words : 0);
    if (!readable) /* the call runs, and reports that */
        return false;
    play_clocks(machine, score->after);
    if (!play_rounds(machine, score))
        failure_set(machine, 0, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory to record the schedule");
    return true;
}
