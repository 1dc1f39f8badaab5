/* SPDX-License-Identifier: MIT */
/* Recording a collective as it runs, and playing it. */
#include "lib/base/grow.h"
#include "lib/machine/callers.h"
#include "lib/machine/score.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_TRANSFERS = 1 << 20 }; /* of a call: what is recorded takes memory */

/* ------------------------------------------------------------------ what nodes do */

/* The call that the node is in, if it is recorded, under its lock. */
static struct score *
enter(const struct node *node)
{
    struct scores *scores = node->machine->scores;

    if (!scores->recording || !scores->rows[node->rank].records)
        return NULL;
    pthread_mutex_lock(&node->machine->calls_lock);
    return scores->recording;
}

static void
leave(const struct node *node, struct score *score, bool done)
{
    score->failed |= !done;
    pthread_mutex_unlock(&node->machine->calls_lock);
}

void
score_note(struct node *node, uint32_t request, int32_t step)
{
    struct score *score = enter(node);

    if (score)
        leave(node, score, score_clocks_note(&score->clocks, node->rank, request, step));
}

static void
follow(const struct node *node, const void *left, const void *right, const void *to, size_t bytes)
{
    struct score *score = enter(node);

    if (score)
        leave(node, score,
              !score->data.memory || score_data_follow(&score->data, node->rank, left, right, node->rank, to, bytes));
}

void
peal_machine_note_copy(const struct node *node, const void *to, const void *from, size_t bytes)
{
    follow(node, from, NULL, to, bytes);
}

/* What a node that is recorded combines with; closure: its row. */
static void
combine_noted(const void *left, const void *right, void *result, size_t words, void *closure)
{
    const struct score_row *row = closure;

    row->combine(left, right, result, words);
    if (self)
        follow(self, left, right, result, words * row->word_bytes);
}

void
score_left(const struct peal_node *me)
{
    const struct node *node = me->node;
    struct scores *scores = node->machine->scores;
    struct score *score = node->machine->records && !me->collective ? enter(node) : NULL;

    if (!score)
        return;
    scores->left++;
    scores->rows[node->rank].records = false;
    leave(node, score,
          score_clocks_left(&score->clocks, node->machine, node->rank) &&
              score_data_left(&score->data, node->rank, &scores->rows[node->rank]));
}

/* ------------------------------------------------------------------ rounds */

/* Follow the round's copies: the pieces of one message after the other. */
static bool
follow_copies(struct score *score, const struct round *round)
{
    const struct copy *copy = round->copies;

    for (size_t i = 0; i < round->transfer_count; i++) {
        const struct peal_transfer *transfer = &round->transfers[i];

        for (size_t left = round->requests[round->admitted[i]].words * round->word_bytes; left > 0;
             left -= (copy++)->bytes)
            if (!score_data_follow(&score->data, transfer->from, copy->from, NULL, transfer->to, copy->to, copy->bytes))
                return false;
    }
    return true;
}

static bool
note_round(struct score *score, const struct peal_machine *machine)
{
    const struct round *round = &machine->round;
    const struct peal_schedule *schedule = &round->recorder.schedule;
    size_t count = round->transfer_count, first = score->transfer_count;
    bool kept = round->keep != PEAL_ROUNDS_NONE && count > 0;
    uint32_t k = 0;

    if (round->complete_count + round->settled_count + round->taken_count + round->access_count + round->reply_count >
            0 ||
        round->charge.tau > 0 || first + count > MAX_TRANSFERS ||
        !grow(&score->rounds, &score->rounds_room, score->round_count + 1, sizeof *score->rounds) ||
        !grow(&score->transfers, &score->transfers_room, first + count, sizeof *score->transfers))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t send = round->admitted[i], flags = round->requests[send].flags;

        score->transfers[first + i] = round->transfers[i];
        if (!(flags & REQUEST_MATCHED) || flags & (REQUEST_KEPT | REQUEST_EAGER) ||
            !score_clocks_transfer(&score->clocks, &round->transfers[i], send, round->requests[send].partner,
                                   charge_alone(&round->charger, round->transfers, i)))
            return false;
        k = round->transfers[i].k > k ? round->transfers[i].k : k;
    }
    score->transfer_count += count;
    score->rounds[score->round_count++] =
        (struct score_round){round->charge, first, count, k, kept ? schedule->order[schedule->round_count - 1] : 0};
    score->cost = peal_cost_add(score->cost, round->charge);
    return !score->data.memory || follow_copies(score, round);
}

/* Posts and waits take the paths on which they are noted. */
static void
watch(struct peal_machine *machine, bool records)
{
    machine->records = records;
    machine->unhooked_posts = machine->short_calls = !records;
}

/* Stop recording a call that cannot be played. */
static bool
drop(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    uint32_t kind = scores->recording->kind;

    watch(machine, false);
    score_fini(scores->recording);
    scores->recording->kind = kind;
    scores->recording->state = SCORE_LIVE;
    scores->recording = NULL;
    return false;
}

void
score_note_round(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;

    if (scores->left > 0 || !note_round(scores->recording, machine))
        drop(machine);
}

/* ------------------------------------------------------------------ begin and end */

bool
score_record(struct peal_machine *machine, struct score *score, const struct peal_call *call)
{
    struct scores *scores = machine->scores;
    int nodes = machine->options.nodes;

    scores->recording = score;
    scores->left = 0;
    score->word_bytes = scores->rows[0].word_bytes;
    score->exact = scores->rows[0].exact;
    score->copies = machine->host.copies;
    score->copied_words = machine->host.copied_words;
    if (!scores->operators)
        scores->operators = calloc((size_t)nodes, sizeof *scores->operators);
    score->sites = calloc((size_t)nodes, sizeof *score->sites);
    if (!scores->operators || !score->sites || !score_data_begin(&score->data, call, nodes, scores->rows) ||
        !score_clocks_begin(&score->clocks, machine))
        return drop(machine);
    for (int n = 0; n < nodes; n++) {
        struct score_row *row = &scores->rows[n];

        row->records = true;
        score->sites[n] = (struct call_site){row->file, row->line};
        scores->operators[n] = (struct peal_op){.name = call->op,
                                                .commutative = call->traits & 1,
                                                .word_bytes = row->word_bytes,
                                                .combine = row->combine,
                                                .combine_with = combine_noted,
                                                .closure = row};
    }
    watch(machine, true);
    return true;
}

void
score_recorded(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    struct score *score = scores->recording;

    score->copies = machine->host.copies - score->copies;
    score->copied_words = machine->host.copied_words - score->copied_words;
    if (score->failed || score->round_count == 0 || score->rounds[score->round_count - 1].count == 0 ||
        !score_clocks_end(&score->clocks, machine) || !score_data_end(&score->data) ||
        (machine->carrier_count > 1 && score_data_is_long(&score->data))) {
        drop(machine);
        return;
    }
    score->state = SCORE_PLAYS;
    scores->recording = NULL;
    watch(machine, false);
}

void
score_fini(struct score *score)
{
    free(score->rounds);
    free(score->transfers);
    free(score->sites);
    score_clocks_fini(&score->clocks);
    score_data_fini(&score->data);
    *score = (struct score){.kind = 0};
}

/* ------------------------------------------------------------------ playing */

/* Whether the call is elsewhere in the program this time: its transfers are of other calls then, which they note. */
static bool
is_elsewhere(struct peal_machine *machine, struct score *score)
{
    const struct score_row *rows = machine->scores->rows;
    bool elsewhere = false;

    for (int n = 0; machine->callers && n < machine->options.nodes; n++)
        if (rows[n].file != score->sites[n].file || rows[n].line != score->sites[n].line) {
            score->sites[n] = (struct call_site){rows[n].file, rows[n].line};
            elsewhere = true;
        }
    for (size_t i = 0; elsewhere && i < score->transfer_count; i++) {
        struct peal_transfer *transfer = &score->transfers[i];

        transfer->calls[0] = callers_number(machine, score->sites[transfer->from]);
        transfer->calls[1] = callers_number(machine, score->sites[transfer->to]);
    }
    return elsewhere;
}

/* Append the round to the schedule. */
static bool
keep_round(struct recorder *recorder, const struct score *score, struct score_round *made, bool elsewhere)
{
    if (!elsewhere)
        return recorder_repeat(recorder, made->number);
    struct peal_transfer *transfers = recorder_room(recorder, made->count);

    if (!transfers)
        return false;
    memcpy(transfers, score->transfers + made->first, made->count * sizeof *transfers);
    if (!recorder_round(recorder, made->count, made->charge))
        return false;
    made->number = recorder->schedule.order[recorder->schedule.round_count - 1];
    return true;
}

static bool
play_rounds(struct peal_machine *machine, struct score *score)
{
    struct round *round = &machine->round;
    bool elsewhere = is_elsewhere(machine, score);
    size_t first = round->recorder.schedule.round_count;

    round->number += score->round_count;
    machine->rounds_made += score->round_count;
    for (size_t i = 0; i < score->round_count; i++) {
        struct score_round *made = &score->rounds[i];

        if (made->count == 0)
            continue;
        round->cost = peal_cost_add(round->cost, made->charge);
        course_note(&round->course, (struct peal_round_summary){made->charge, round->cost, made->count, made->k});
        if (round->keep != PEAL_ROUNDS_NONE && !keep_round(&round->recorder, score, made, elsewhere))
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
    score_clocks_play(&score->clocks, machine);
    if (!play_rounds(machine, score))
        failure_set(machine, 0, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory to record the schedule");
    return true;
}
