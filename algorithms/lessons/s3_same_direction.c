/* SPDX-License-Identifier: MIT */
/* Scenario 3: two messages that compete for links of a line. */
#include "lesson.h"

enum { P = 8, n = 100 };

static const struct lesson_messages messages = {{1, 6}, {4, 7}, n};

/* The number of links that the paths from a to b and from c to d share, both rightwards. */
static int
shared_links(int a, int b, int c, int d)
{
    return (b < d ? b : d) - (a > c ? a : c);
}

static void
run(struct peal_board *board)
{
    int k = shared_links(1, 6, 4, 7) > 0 ? 2 : 1;
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "line"), lesson_two_messages, &messages,
                   "1→6 and 4→7, n = %d words each", n);

    lesson_draw_line(board, machine, 0);
    lesson_check_count(board, "rounds", lesson_rounds(machine), 1, "(both at the same time)");
    lesson_check_count(board, "most messages on one link", lesson_round(machine, 0).k, k,
                       "(both need 4→5 and 5→6)");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(1, n * k, 0), "α + 2βn");

    lesson_answer(board, "α + 2βn. Both messages need the links 4→5 and 5→6 in the same direction; a link that k = "
                         "2 messages share serves them one after the other, which multiplies the βn of each by "
                         "k. The start-up α is paid once: there is still one round.");
}

const struct peal_lesson lesson_s3_same_direction = {
    .id       = "S3",
    .title    = "Scenario 3: the same direction",
    .source   = "Georgia Tech CS 6220, ¶ 12-13",
    .code     = "s3_same_direction.c",
    .question = "On a line of 8 nodes, node 1 sends n words to node 6 at the same time that node 4 sends n words to "
                "node 7. How long does this take?",
    .run      = run,
};
