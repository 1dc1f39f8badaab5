/* SPDX-License-Identifier: MIT */
/* Scenario 2: two messages that meet on a line. */
#include "lesson.h"

enum { P = 8, n = 100 };

static const struct lesson_messages messages = {{1, 6}, {7, 4}, n};

static void
run(struct peal_board *board)
{
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "line"), lesson_two_messages, &messages,
                   "1→6 and 7→4, n = %d words each", n);

    lesson_draw_line(board, machine, 0);
    lesson_check_count(board, "rounds", lesson_rounds(machine), 1, "(both at the same time)");
    lesson_check_count(board, "most messages on one link", lesson_round(machine, 0).k, 1,
                       "(a wire has a link in each direction)");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(1, n, 0), "α + βn");

    lesson_answer(board, "α + βn. The paths overlap between 4 and 6, but in opposite directions, and links are "
                         "bidirectional: the messages do not disturb each other.");
}

const struct peal_lesson lesson_s2_opposite_directions = {
    .id       = "S2",
    .title    = "Scenario 2: opposite directions",
    .source   = "Georgia Tech CS 6220, ¶ 10-11",
    .code     = "s2_opposite_directions.c",
    .question = "On a line of 8 nodes, node 1 sends n words to node 6 at the same time that node 7 sends n words to "
                "node 4. What is the minimum time?",
    .run      = run,
};
