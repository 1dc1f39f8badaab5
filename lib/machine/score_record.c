/* SPDX-License-Identifier: MIT */
/* Recording a collective as it runs, and playing it. */
#include "lib/base/grow.h"
#include "lib/machine/callers.h"
#include "lib/machine/score.h"
#include <stdlib.h>
#include <string.h>

/* Transfers, and copies and combinations, of a call at most: what is recorded takes memory. */
enum { MAX_RECORDED = 1 << 20 };

/* ------------------------------------------------------------------ what nodes do */

static void
lock(struct peal_machine *machine)
{
    if (machine->carrier_count > 1)
        pthread_mutex_lock(&machine->calls_lock);
}

static void
unlock(struct peal_machine *machine)
{
    if (machine->carrier_count > 1)
        pthread_mutex_unlock(&machine->calls_lock);
}

/* The call that the node is in, if it is recorded. */
static struct score *
recording_of(const struct node *node)
{
    struct scores *scores = node->machine->scores;

    return scores->rows[node->rank].records ? scores->recording : NULL;
}

void
score_note(struct node *node, uint32_t request, int32_t step)
{
    struct score *score = recording_of(node);

    if (!score)
        return;
    lock(node->machine);
    score->failed |= !score_clocks_note(&score->clocks, node->rank, request, step);
    unlock(node->machine);
}

static bool
add_event(struct score *score, struct score_event event)
{
    if (score->event_count >= MAX_RECORDED ||
        !grow(&score->events, &score->events_room, score->event_count + 1, sizeof *score->events))
        return false;
    score->events[score->event_count++] = event;
    return true;
}

static void
note_event(const struct node *node, struct score_event event)
{
    struct score *score = recording_of(node);

    if (!score || !score->follows || event.bytes == 0)
        return;
    lock(node->machine);
    score->failed |= !add_event(score, event);
    unlock(node->machine);
}

/* The words that the node has, and gets. */
static bool
note_words(struct score *score, const struct score_row *row, size_t in_bytes, size_t out_bytes)
{
    return add_event(score, (struct score_event){row->in, NULL, row->in, in_bytes}) &&
           add_event(score, (struct score_event){row->out, NULL, row->out, out_bytes});
}

void
peal_machine_note_copy(const struct node *node, const void *to, const void *from, size_t bytes)
{
    note_event(node, (struct score_event){.left = from, .to = (char *)(uintptr_t)to, .bytes = bytes});
}

/* What a node that is recorded combines with; closure: its row. */
static void
combine_noted(const void *left, const void *right, void *result, size_t words, void *closure)
{
    const struct score_row *row = closure;

    row->combine(left, right, result, words);
    if (row->records && self)
        note_event(self, (struct score_event){left, right, result, words * row->word_bytes});
}

/* ------------------------------------------------------------------ rounds */

/* Note the round's copies, the pieces of one message after the other. */
static bool
note_copies(struct score *score, const struct round *round)
{
    for (size_t i = 0; i < round->copy_count; i++)
        if (!add_event(score, (struct score_event){.left = round->copies[i].from,
                                                   .to = round->copies[i].to,
                                                   .bytes = round->copies[i].bytes}))
            return false;
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
        round->charge.tau > 0 || first + count > MAX_RECORDED || (score->follows && !note_copies(score, round)) ||
        !grow(&score->rounds, &score->rounds_room, score->round_count + 1, sizeof *score->rounds) ||
        !grow(&score->transfers, &score->transfers_room, first + count, sizeof *score->transfers))
        return false;
    if (count > 0)
        memcpy(score->transfers + first, round->transfers, count * sizeof *score->transfers);
    for (size_t i = 0; i < count; i++) {
        uint32_t send = round->admitted[i], flags = round->requests[send].flags;

        if (!(flags & REQUEST_MATCHED) || flags & (REQUEST_KEPT | REQUEST_EAGER) ||
            !score_clocks_transfer(&score->clocks, &round->transfers[i], send, round->requests[send].partner,
                                   charge_alone(&round->charger, round->transfers, i)))
            return false;
        k = round->transfers[i].k > k ? round->transfers[i].k : k;
    }
    score->transfer_count += count;
    score->rounds[score->round_count++] =
        (struct score_round){.charge = round->charge,
                             .first = first,
                             .count = count,
                             .k = k,
                             .number = kept ? schedule->order[schedule->round_count - 1] : 0};
    score->cost = peal_cost_add(score->cost, round->charge);
    return true;
}

/* Posts and waits take the paths on which they are noted. */
static void
watch(struct peal_machine *machine, bool records)
{
    machine->records = records;
    machine->unhooked_posts = machine->short_calls = !records;
}

/* Stop recording a call that cannot be played. */
static void
drop(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    uint32_t kind = scores->recording->kind;

    watch(machine, false);
    score_fini(scores->recording);
    scores->recording->kind = kind;
    scores->recording->state = SCORE_LIVE;
    scores->recording = NULL;
}

void
score_note_round(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;

    if (atomic_load(&scores->left) > 0 || !note_round(scores->recording, machine))
        drop(machine);
}

/* ------------------------------------------------------------------ begin and end */

bool
score_record(struct peal_machine *machine, struct score *score, const struct peal_call *call)
{
    struct scores *scores = machine->scores;
    size_t nodes = (size_t)machine->options.nodes;

    scores->recording = score;
    score->call = *call;
    score->word_bytes = scores->rows[0].word_bytes;
    score->copies = machine->host.copies;
    score->copied_words = machine->host.copied_words;
    score->follows = score_follows(scores);
    if (score->follows && !scores->operators)
        scores->operators = calloc(nodes, sizeof *scores->operators);
    score->sites = calloc(nodes, sizeof *score->sites);
    score->rows = aligned_alloc(_Alignof(struct score_row), nodes * sizeof *score->rows);
    if ((!score->follows &&
         !(call->op ? score_data_free_sums : score_data_copies)(&score->data, call, (int)nodes, score->word_bytes)) ||
        !score->rows || !score->sites || (score->follows && !scores->operators) ||
        !score_clocks_begin(&score->clocks, machine)) {
        drop(machine);
        return false;
    }
    size_t bytes = call->words * score->word_bytes, blocks = call->form->in == PEAL_SIDE_BLOCKS ? nodes : 1;

    for (size_t n = 0; n < nodes; n++) {
        struct score_row *row = &scores->rows[n];

        row->records = true;
        score->failed |= score->follows && !note_words(score, row, blocks * bytes, bytes);
        score->sites[n] = (struct call_site){row->file, row->line};
        if (score->follows)
            scores->operators[n] = (struct peal_op){.name = call->op,
                                                    .commutative = call->traits & 1,
                                                    .word_bytes = row->word_bytes,
                                                    .combine = row->combine,
                                                    .combine_with = combine_noted,
                                                    .closure = row};
    }
    memcpy(score->rows, scores->rows, nodes * sizeof *score->rows);
    atomic_store(&scores->left, 0);
    watch(machine, true);
    return true;
}

void
score_recorded(struct peal_machine *machine)
{
    struct scores *scores = machine->scores;
    struct score *score = scores->recording;
    const struct peal_call *call = &score->call;
    int nodes = machine->options.nodes;

    score->copies = machine->host.copies - score->copies;
    score->copied_words = machine->host.copied_words - score->copied_words;
    if (score->failed || score->round_count == 0 || score->rounds[score->round_count - 1].count == 0 ||
        !score_clocks_end(&score->clocks, machine) ||
        (score->follows && !score_data_sums(&score->data, call, nodes, score->word_bytes, score->rows, score->events,
                                            score->event_count)) ||
        (machine->carrier_count > 1 && score_data_is_long(&score->data))) {
        drop(machine);
        return;
    }
    free(score->events);
    free(score->rows);
    score->events = NULL;
    score->rows = NULL;
    score->event_count = score->events_room = 0;
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
    free(score->rows);
    free(score->events);
    score_clocks_fini(&score->clocks);
    score_data_fini(&score->data);
    *score = (struct score){.kind = 0};
}

/* ------------------------------------------------------------------ playing */

/* The call is elsewhere in the program this time: the transfers are of other calls. */
static bool
is_elsewhere(const struct peal_machine *machine, const struct score *score)
{
    const struct score_row *rows = machine->scores->rows;

    for (int n = 0; machine->callers && n < machine->options.nodes; n++)
        if (rows[n].file != score->sites[n].file || rows[n].line != score->sites[n].line)
            return true;
    return false;
}

static void
move_calls(struct peal_machine *machine, struct score *score)
{
    const struct score_row *rows = machine->scores->rows;

    for (int n = 0; n < machine->options.nodes; n++)
        score->sites[n] = (struct call_site){rows[n].file, rows[n].line};
    for (size_t i = 0; i < score->transfer_count; i++) {
        struct peal_transfer *transfer = &score->transfers[i];

        transfer->calls[0] = callers_number(machine, score->sites[transfer->from]);
        transfer->calls[1] = callers_number(machine, score->sites[transfer->to]);
    }
}

/* Append the round to the schedule. */
static bool
keep_round(struct recorder *recorder, struct score *score, struct score_round *made, bool elsewhere)
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

    if (elsewhere)
        move_calls(machine, score);
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

    machine->host.copies = copies;
    machine->host.copied_words = copied_words;
    if (!readable) /* the call runs, and reports that */
        return false;
    machine->host.copies += score->copies;
    machine->host.copied_words += score->copied_words;
    score_clocks_play(&score->clocks, machine);
    if (!play_rounds(machine, score))
        failure_set(machine, 0, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory to record the schedule");
    return true;
}
