/* SPDX-License-Identifier: MIT */
/* A lesson's runs, the words that their nodes show, and readers of their rounds. */
#include "board.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The notes of the run that is being made: set before its nodes start, then constant. */
static struct notes *noting;

/* ------------------------------------------------------------------ runs */

struct peal_options
lesson_options(int nodes, const char *network)
{
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = nodes;
    options.topology = network;
    return options;
}

/* Ready for `nodes` nodes, without notes. */
static bool
notes_begin(struct notes *notes, int nodes)
{
    notes_fini(notes);
    notes->rows = calloc((size_t)nodes, sizeof *notes->rows);
    notes->nodes = notes->rows != NULL ? nodes : 0;
    return notes->rows != NULL;
}

/* Make a machine and run the program on it. */
static struct peal_machine *
make_run(struct peal_board *board, const struct peal_options *options, peal_program program, const void *arg)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);

    if (machine == NULL)
        board_stop(board, &error);
    if (!notes_begin(&board->notes, options->nodes)) {
        peal_machine_destroy(machine);
        peal_refuse(&error, PEAL_RESOURCES, "not enough memory");
        board_stop(board, &error);
    }
    noting = &board->notes;
    peal_run(machine, program, (void *)arg);
    noting = NULL;

    const struct peal_failure *failure = peal_machine_failure(machine);

    if (failure != NULL && failure->status != PEAL_FAILED) { /* the system's fault, not the program's */
        peal_refuse(&error, failure->status, "%s", failure->message);
        peal_machine_destroy(machine);
        board_stop(board, &error);
    }
    return machine;
}

const struct peal_machine *
lesson_run(struct peal_board *board, struct peal_options options, peal_program program, const void *arg,
           const char *caption, ...)
{
    struct peal_machine *machine = make_run(board, &options, program, arg);
    const struct peal_failure *failure = peal_machine_failure(machine);
    va_list list;

    va_start(list, caption);
    board_add(board, PEAL_STEP_RUNS, machine, caption, list);
    va_end(list);
    if (failure != NULL)
        lesson_check(board, false, "every node ends: %s", failure->message);
    return machine;
}

const struct peal_machine *
lesson_run_wrong(struct peal_board *board, struct peal_options options, peal_program program, const void *arg,
                 enum peal_failure_kind kind, const char *caption, ...)
{
    struct peal_machine *machine = make_run(board, &options, program, arg);
    const struct peal_failure *failure = peal_machine_failure(machine);
    va_list list;

    va_start(list, caption);
    board_add(board, PEAL_STEP_RUNS, machine, caption, list);
    va_end(list);
    if (failure != NULL && failure->kind == kind)
        lesson_check(board, true, "the machine stops the program: %s", peal_failure_name(kind));
    else
        lesson_check(board, false, "the machine stops the program as %s: %s", peal_failure_name(kind),
                     failure != NULL ? peal_failure_name(failure->kind) : "it ended");
    return machine;
}

const struct peal_machine *
lesson_try(struct peal_board *board, struct peal_options options, peal_program program, const void *arg)
{
    peal_machine_destroy(board->tried[1]);
    board->tried[1] = board->tried[0];
    board->tried[0] = NULL;
    return board->tried[0] = make_run(board, &options, program, arg);
}

double
lesson_time(const struct peal_machine *machine)
{
    return peal_cost_time(peal_machine_cost(machine), peal_machine_options(machine)->parameters);
}

/* ------------------------------------------------------------------ notes */

void
notes_fini(struct notes *notes)
{
    for (int i = 0; i < notes->nodes; i++)
        for (int j = 0; j < MAX_NOTES; j++)
            free(notes->rows[i][j].words);
    free(notes->rows);
    *notes = (struct notes){.nodes = 0};
}

void
lesson_note(struct peal_node *me, int number, const void *words, size_t count)
{
    struct note *note = &noting->rows[peal_world_rank(me)][number];
    size_t bytes = count * peal_word_bytes(me);

    assert(number >= 0 && number < MAX_NOTES);
    free(note->words);
    note->words = malloc(bytes + 1);
    if (note->words == NULL)
        peal_fail_at(me, PEAL_OUT_OF_MEMORY, PEAL_HERE, "no memory for a note of %zu words", count);
    memcpy(note->words, words, bytes);
    note->count = count;
}

void
lesson_note_blocks(struct peal_node *me, int number, const int64_t *x, size_t m)
{
    int64_t here[64];
    size_t count = 0;

    assert(peal_size(me) <= 64);
    for (int b = 0; b < peal_size(me); b++)
        if (*peal_block(x, m, b) != 0)
            here[count++] = b;
    if (count > 0)
        lesson_note(me, number, here, count);
}

const int64_t *
lesson_noted(struct peal_board *board, int rank, int number, size_t *count)
{
    const struct note *note;

    *count = 0;
    if (rank < 0 || rank >= board->notes.nodes || number < 0 || number >= MAX_NOTES)
        return NULL;
    note = &board->notes.rows[rank][number];
    *count = note->count;
    return note->words;
}

bool
lesson_noted_is(struct peal_board *board, int rank, int number, const int64_t *words, size_t count)
{
    size_t found;
    const int64_t *note = lesson_noted(board, rank, number, &found);

    return note != NULL && found == count && memcmp(note, words, count * sizeof *words) == 0;
}

/* ------------------------------------------------------------------ reading a run */

int
lesson_rounds(const struct peal_machine *machine)
{
    return (int)peal_machine_schedule(machine)->round_count;
}

struct lesson_round
lesson_round(const struct peal_machine *machine, int i)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    struct lesson_round round = {.count = 0};

    if (i < 0 || (size_t)i >= schedule->round_count || peal_schedule_round(schedule, (size_t)i)->count == 0)
        return round;
    round.transfers = &schedule->transfers[peal_schedule_round(schedule, (size_t)i)->first];
    round.count = (int)peal_schedule_round(schedule, (size_t)i)->count;
    for (int j = 0; j < round.count; j++) {
        const struct peal_transfer *t = &round.transfers[j];

        round.words = (int64_t)t->words > round.words ? (int64_t)t->words : round.words;
        round.hops = t->hops > round.hops ? t->hops : round.hops;
        round.k = t->k > round.k ? t->k : round.k;
    }
    return round;
}

bool
lesson_uncongested(const struct peal_machine *machine)
{
    for (int i = 0; i < lesson_rounds(machine); i++)
        if (lesson_round(machine, i).k > 1)
            return false;
    return true;
}

/* Whether `b` has the transfer t, or its way back. */
static bool
has_transfer(struct lesson_round b, const struct peal_transfer *t, bool reversed, bool words)
{
    for (int i = 0; i < b.count; i++) {
        const struct peal_transfer *u = &b.transfers[i];

        if (u->from == (reversed ? t->to : t->from) && u->to == (reversed ? t->from : t->to)
            && (!words || u->words == t->words))
            return true;
    }
    return false;
}

bool
lesson_same_tree(const struct peal_machine *a, const struct peal_machine *b, bool reversed, bool words)
{
    int rounds = lesson_rounds(a);

    if (lesson_rounds(b) != rounds)
        return false;
    for (int i = 0; i < rounds; i++) {
        struct lesson_round x = lesson_round(a, i), y = lesson_round(b, reversed ? rounds - 1 - i : i);

        if (x.count != y.count)
            return false;
        for (int j = 0; j < x.count; j++)
            if (!has_transfer(y, &x.transfers[j], reversed, words))
                return false;
    }
    return true;
}

void
lesson_two_messages(struct peal_node *me, void *messages)
{
    const struct lesson_messages *two = messages;
    int RANK = peal_rank(me);
    int64_t *x = peal_alloc(me, two->n);

    if (RANK == two->first.from) peal_send(me, x, two->n, two->first.to);
    if (RANK == two->first.to) peal_recv(me, x, two->n, two->first.from);
    if (RANK == two->second.from) peal_send(me, x, two->n, two->second.to);
    if (RANK == two->second.to) peal_recv(me, x, two->n, two->second.from);
}

int
lesson_served(struct peal_board *board, int nodes, size_t m, bool broadcast)
{
    int count = 0;
    size_t words;

    for (int rank = 0; rank < nodes; rank++) {
        const int64_t *packet = lesson_noted(board, rank, 0, &words);

        count += packet != NULL && packet[0] == (broadcast ? 1 : rank + 1) && packet[m - 1] == packet[0];
    }
    return count;
}
