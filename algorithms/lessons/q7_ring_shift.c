/* SPDX-License-Identifier: MIT */
/* Shifting values round a ring, P times. */
#include "lesson.h"

enum { P = 6 };

static const int64_t initial[P] = {6, 6, 7, 3, 8, 4};

static void
program(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me);
    int64_t x = initial[RANK], y;

    (void)arg;
    lesson_note(me, 0, &x, 1);
    for (int i = 0; i < P; i++) {
        peal_send_async(me, &x, 1, (RANK + 1) % P);
        peal_recv_async(me, &y, 1, (RANK + P - 1) % P);
        peal_wait_all(me);

        int64_t t = x;                                    /* swap(x, y) */
        x = y;
        y = t;
        lesson_note(me, i + 1, &x, 1);
    }
}

static void
run(struct peal_board *board)
{
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "line"), program, NULL, "P = 6 on a line");
    struct peal_cost on_a_line = peal_machine_cost(machine);
    int right = 0;
    char label[20];

    lesson_draw_line(board, machine, 0);
    lesson_say(board, "The values of x at first and after every i:");
    lesson_show_words(board, "initial", 0);
    for (int i = 0; i < P; i++) {
        snprintf(label, sizeof label, "i = %d", i);
        lesson_show_words(board, label, i + 1);
    }
    for (int i = 0; i <= P; i++)
        for (int rank = 0; rank < P; rank++)
            right += lesson_noted_is(board, rank, i, &initial[(rank - i + P) % P], 1);
    lesson_check_all(board, right, (P + 1) * P, "after pass i every value is i + 1 nodes further on");
    lesson_check_cost(board, "cost", on_a_line, lesson_cost(P, P, 0), "P(α + β)");
    lesson_check(board, lesson_uncongested(machine),
                 "k = 1: only the message from the last node to the first uses the links leftwards");
    lesson_check_cost(board, "the same on a ring",
                      peal_machine_cost(lesson_try(board, lesson_options(P, "ring"), program, NULL)),
                      lesson_cost(P, P, 0), "P(α + β)");

    lesson_answer(board, "6 6 7 3 8 4, the initial values: every pass of the loop shifts them by one node, and after P "
                         "passes each value is back on its node.");
}

const struct peal_lesson lesson_q7_ring_shift = {
    .id       = "Q7",
    .title    = "Send and receive, revisited",
    .source   = "Georgia Tech CS 6220, ¶ 21-22",
    .code     = "q7_ring_shift.c",
    .question = "Six processes have x = 6, 6, 7, 3, 8, 4. P times, each sends x to the next, receives y from the "
                "one before (round the end), waits, and swaps x and y. What are the final values of x?",
    .run      = run,
};
