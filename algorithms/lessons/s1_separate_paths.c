/* SPDX-License-Identifier: MIT */
/* Scenario 1: two messages on separate parts of a line. */
#include "lesson.h"

enum { P = 8, n = 100 };

static const struct lesson_messages messages = {{0, 2}, {6, 3}, n};

static void
run(struct peal_board *board)
{
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "line"), lesson_two_messages, &messages,
                   "0→2 and 6→3, n = %d words each", n);

    lesson_draw_line(board, machine, 0);
    lesson_check_count(board, "rounds", lesson_rounds(machine), 1, "(both at the same time)");
    lesson_check_count(board, "most messages on one link",
                       lesson_round(machine, 0).k, 1, "(the paths have no link in common)");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(1, n, 0), "α + βn");

    lesson_answer(board, "α + βn, the time of one message: they use independent paths, so they travel at the same "
                         "time. It does not matter how long a path is.");
}

const struct peal_lesson lesson_s1_separate_paths = {
    .id       = "S1",
    .title    = "Scenario 1: separate paths",
    .source   = "Georgia Tech CS 6220, ¶ 9",
    .code     = "s1_separate_paths.c",
    .question = "On a line of 8 nodes, node 0 sends n words to node 2 at exactly the same time that node 6 sends n "
                "words to node 3. How long do the two messages take?",
    .run      = run,
};
