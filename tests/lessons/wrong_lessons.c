/* SPDX-License-Identifier: MIT */
/* A course of three lessons, for the command: one that holds, one whose claim does not hold, one whose machine is
 * refused. */
#include "algorithms/lessons/lesson.h"
#include <stddef.h>

enum { n = 100 };

static void
program(struct peal_node *me, void *arg)
{
    int64_t *x = peal_alloc(me, n);

    (void)arg;
    if (peal_rank(me) == 0)
        peal_send(me, x, n, 1);
    if (peal_rank(me) == 1)
        peal_recv(me, x, n, 0);
}

static void
right(struct peal_board *board)
{
    const struct peal_machine *machine = lesson_run(board, lesson_options(2, "line"), program, NULL, "one message");

    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(1, n, 0), "α + βn");
    lesson_answer(board, "α + βn.");
}

static void
wrong(struct peal_board *board)
{
    const struct peal_machine *machine = lesson_run(board, lesson_options(2, "line"), program, NULL, "one message");

    lesson_check_count(board, "rounds", lesson_rounds(machine), 1, "(one)");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(1, 2 * n, 0), "α + 2βn");
    lesson_answer(board, "α + 2βn.");
}

static void
impossible(struct peal_board *board)
{
    lesson_run(board, lesson_options(5, "line:8"), program, NULL, "never");
}

static const struct peal_lesson lessons[] = {
    {"R1", "A lesson that holds", "nowhere", "wrong_lessons.c", "What does a message cost?", right, false},
    {"W1", "A lesson that does not hold", "nowhere", "wrong_lessons.c", "What does a message cost?", wrong, false},
    {"X1", "A lesson that cannot be given", "nowhere", "wrong_lessons.c", "What does a message cost?", impossible,
     false},
};

/* Instead of the course's table. */
const struct peal_lesson *
peal_lesson_get(int i)
{
    return i >= 0 && i < (int)(sizeof lessons / sizeof *lessons) ? &lessons[i] : NULL;
}
