/* SPDX-License-Identifier: MIT */
/* Run a lesson; the words and checks that it puts on the board. */
#include "board.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ------------------------------------------------------------------ the lesson */

const struct peal_lesson *
peal_lesson_find(const char *id)
{
    const struct peal_lesson *lesson;

    for (int i = 0; (lesson = peal_lesson_get(i)) != NULL; i++)
        if (strcasecmp(lesson->id, id) == 0)
            return lesson;
    return NULL;
}

/* Whether the lesson came to its end. */
static bool
give(struct peal_board *board, const struct peal_lesson *lesson)
{
    if (setjmp(board->stop) != 0)
        return false;
    lesson->run(board);
    return true;
}

struct peal_lesson_numbers
lesson_numbers(const struct peal_board *board, int nodes, size_t words, int ports)
{
    const struct peal_lesson_numbers *given = &board->numbers;

    return (struct peal_lesson_numbers){given->nodes ? given->nodes : nodes, given->words ? given->words : words,
                                        given->ports ? given->ports : ports};
}

struct peal_board *
peal_lesson_teach(const struct peal_lesson *lesson, const struct peal_lesson_numbers *numbers,
                  struct peal_error *error)
{
    enum { MAX_NODES = 1024, MAX_WORDS = 1 << 24 };
    static const struct peal_lesson_numbers own;

    if (!numbers)
        numbers = &own;
    if (numbers->nodes < 0 || numbers->nodes > MAX_NODES || numbers->ports < 0 || numbers->ports > MAX_NODES ||
        numbers->words > MAX_WORDS / (size_t)(numbers->nodes ? numbers->nodes * numbers->nodes : 64)) {
        peal_refuse(error, PEAL_USAGE, "lesson %s is for at most %d nodes or ports, and P²m at most %d words",
                    lesson->id, MAX_NODES, MAX_WORDS);
        return NULL;
    }
    struct peal_board *board = calloc(1, sizeof *board);

    if (board == NULL) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory for lesson %s", lesson->id);
        return NULL;
    }
    board->numbers = *numbers;
    if (give(board, lesson))
        return board;
    peal_refuse(error, board->why.status, "lesson %s: %s", lesson->id, board->why.text);
    peal_board_destroy(board);
    return NULL;
}

void
board_stop(struct peal_board *board, const struct peal_error *why)
{
    board->why = *why;
    longjmp(board->stop, 1);
}

void
peal_board_destroy(struct peal_board *board)
{
    if (board == NULL)
        return;
    for (int i = 0; i < board->count; i++) {
        free(board->steps[i].text);
        peal_machine_destroy((struct peal_machine *)board->steps[i].machine);
    }
    free(board->steps);
    peal_machine_destroy(board->tried[0]);
    peal_machine_destroy(board->tried[1]);
    notes_fini(&board->notes);
    free(board);
}

const struct peal_step *
peal_board_step(const struct peal_board *board, int i)
{
    return i >= 0 && i < board->count ? &board->steps[i] : NULL;
}

int
peal_board_checks(const struct peal_board *board)
{
    return board->checks;
}

int
peal_board_failed(const struct peal_board *board)
{
    return board->failed;
}

/* ------------------------------------------------------------------ steps */

struct peal_step *
board_add(struct peal_board *board, enum peal_step_kind kind, struct peal_machine *machine, const char *format,
          va_list list)
{
    static const struct peal_error no_memory = {PEAL_RESOURCES, "not enough memory"};
    char *text = NULL;

    if (board->count == board->room) {
        int room = 2 * board->room + 16;
        struct peal_step *steps = realloc(board->steps, (size_t)room * sizeof *steps);

        if (steps != NULL) {
            board->steps = steps;
            board->room = room;
        }
    }
    if (board->count == board->room || vasprintf(&text, format, list) < 0) {
        peal_machine_destroy(machine);
        board_stop(board, &no_memory);
    }
    board->steps[board->count] = (struct peal_step){.kind = kind, .holds = true, .text = text, .machine = machine};
    return &board->steps[board->count++];
}

#define ADD(board, kind, format)                                                                                       \
    do {                                                                                                               \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        board_add(board, kind, NULL, format, list);                                                                    \
        va_end(list);                                                                                                  \
    } while (0)

void
lesson_say(struct peal_board *board, const char *format, ...)
{
    ADD(board, PEAL_STEP_SAYS, format);
}

void
lesson_show(struct peal_board *board, const char *format, ...)
{
    ADD(board, PEAL_STEP_SHOWS, format);

    char *line = board->steps[board->count - 1].text;

    for (size_t length = strlen(line); length > 0 && line[length - 1] == ' '; length--)
        line[length - 1] = '\0';
}

void
lesson_answer(struct peal_board *board, const char *format, ...)
{
    ADD(board, PEAL_STEP_ANSWERS, format);
}

void
lesson_correct(struct peal_board *board, const char *format, ...)
{
    ADD(board, PEAL_STEP_CORRECTS, format);
}

/* ------------------------------------------------------------------ checks */

bool
lesson_check(struct peal_board *board, bool holds, const char *claim, ...)
{
    va_list list;

    va_start(list, claim);
    board_add(board, PEAL_STEP_CHECKS, NULL, claim, list)->holds = holds;
    va_end(list);
    board->checks++;
    board->failed += !holds;
    return holds;
}

bool
lesson_check_cost(struct peal_board *board, const char *what, struct peal_cost found, struct peal_cost expected,
                  const char *formula)
{
    if (peal_cost_equal(found, expected))
        return lesson_check(board, true, "%s: %s = %s", what, lesson_text(found), formula);
    return lesson_check(board, false, "%s: %s, not %s = %s", what, lesson_text(found), lesson_text(expected), formula);
}

bool
lesson_check_count(struct peal_board *board, const char *what, int64_t found, int64_t expected, const char *formula)
{
    const char *sign = formula[0] == '(' ? "" : "= "; /* "(reason)" or "= formula" */

    if (found == expected)
        return lesson_check(board, true, "%s: %" PRId64 " %s%s", what, found, sign, formula);
    return lesson_check(board, false, "%s: %" PRId64 ", not %" PRId64 " %s%s", what, found, expected, sign, formula);
}

bool
lesson_check_all(struct peal_board *board, int right, int all, const char *claim)
{
    return lesson_check(board, right == all && all > 0, "%s (%d of %d)", claim, right, all);
}

/* ------------------------------------------------------------------ sums */

struct peal_cost
lesson_cost(int64_t alpha, int64_t beta, int64_t hop)
{
    return (struct peal_cost){.alpha = alpha, .beta = beta, .hop = hop};
}

const char *
lesson_text(struct peal_cost cost)
{
    static char texts[8][100];
    static unsigned next;

    return peal_cost_text(cost, texts[next++ % 8], sizeof texts[0]);
}

const char *
lesson_cell(const char *text, int columns)
{
    static char cells[8][200];
    static unsigned next;
    char *cell = cells[next++ % 8];
    int width = 0;

    for (const char *s = text; *s != '\0'; s++)
        width += ((unsigned char)*s & 0xC0) != 0x80;
    snprintf(cell, sizeof cells[0], "%s%*s", text, columns > width ? columns - width : 0, "");
    return cell;
}

int
lesson_log2(int nodes)
{
    int q = 0;

    while ((int64_t)1 << q < nodes)
        q++;
    return q;
}

int
lesson_zeros(int z)
{
    int zeros = 0;

    for (int x = z - 1; x > 0; x >>= 1)
        zeros += (x & 1) == 0;
    return zeros;
}
