/* SPDX-License-Identifier: MIT */
/* Figure 4.14: scatter and gather, duals of each other. */
#include "lesson.h"

enum { p = 8, d = 3, m = 4 };

/* A node with number `my_id` scatters, then gathers; X has room for all messages, held or not. */
static void
program(struct peal_node *me, void *arg)
{
    int my_id = peal_rank(me), note = 0;
    int64_t *X = peal_alloc(me, p * m);

    (void)arg;
    if (my_id == 0)
        for (int i = 0; i < p * m; i++)
            X[i] = 1 + i;                                 /* p unique messages of m words */
    lesson_note_blocks(me, note++, X, m);

    for (int i = d - 1; i >= 0; i--) {                    /* scatter: the half of the other subcube goes */
        int half = 1 << i, partner = my_id ^ half;

        if (my_id % (2 * half) == 0) {
            peal_send(me, peal_block(X, m, partner), (size_t)(half * m), partner);
            for (int j = 0; j < half * m; j++)
                peal_block(X, m, partner)[j] = 0;         /* it is sent, and no longer here */
        } else if (my_id % half == 0) {
            peal_recv(me, peal_block(X, m, my_id), (size_t)(half * m), partner);
        }
    }
    lesson_note_blocks(me, note++, X, m);

    for (int i = 0; i < d; i++) {                         /* gather: odd nodes to the even neighbour before them, ... */
        int half = 1 << i, partner = my_id ^ half;

        if (my_id % (2 * half) == half) {
            peal_send(me, peal_block(X, m, my_id), (size_t)(half * m), partner);
            for (int j = 0; j < half * m; j++)
                peal_block(X, m, my_id)[j] = 0;
        } else if (my_id % (2 * half) == 0) {
            peal_recv(me, peal_block(X, m, partner), (size_t)(half * m), partner);
        }
        lesson_note_blocks(me, note++, X, m);
    }
    if (my_id == 0) lesson_note(me, note, X, p * m);
}

/* Whether after `step` steps of the gather the multiples of 2^step have 2^step messages each, and the others have
 * nothing. */
static bool
gathered(struct peal_board *board, int step)
{
    int held = 1 << step;
    int64_t messages[p];
    size_t count;

    for (int node = 0; node < p; node++) {
        for (int i = 0; i < held && i < p; i++)
            messages[i] = node + i;
        if (node % held == 0 ? !lesson_noted_is(board, node, 1 + step, messages, (size_t)held)
                             : lesson_noted(board, node, 1 + step, &count) != NULL)
            return false;
    }
    return true;
}

static void
run(struct peal_board *board)
{
    const struct peal_machine *machine = lesson_run(board, lesson_options(p, "hypercube"), program, NULL,
                                                    "scatter, then gather; m = %d", m);
    int64_t initial[p * m];
    char label[20];
    int steps = 0;

    lesson_say(board, "Which messages each node has:");
    lesson_show_blocks(board, "at first", 0);
    lesson_show_blocks(board, "scattered", 1);
    for (int step = 1; step <= d; step++) {
        snprintf(label, sizeof label, "gather %d", step);
        lesson_show_blocks(board, label, 1 + step);
        steps += gathered(board, step);
    }
    for (int i = 0; i < p * m; i++)
        initial[i] = 1 + i;
    lesson_check(board, gathered(board, 0),
                 "after the scatter node i has message i and no other: no duplication");
    lesson_check_all(board, steps, d, "after step i of the gather the multiples of 2^i have 2^i messages each");
    lesson_check(board, lesson_noted_is(board, 0, 2 + d, initial, p * m),
                 "at the end node 0 has every word in its first place");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(2 * d, 2 * m * (p - 1), 0),
                      "2(t_s·log₂p + t_w·m(p-1))");

    lesson_answer(board, "Scatter sends a unique message from one node to every other; gather collects them again. A "
                         "gather is not a reduction: nothing is combined, p messages stay p messages. Each operation "
                         "is the other one backwards.");
}

const struct peal_lesson lesson_fig414_scatter_and_gather = {
    .id       = "FIG414",
    .title    = "Figure 4.14: scatter and gather",
    .source   = "Grama et al. 2003, figure 4.14",
    .code     = "fig414_scatter_and_gather.c",
    .question = "What do the scatter and gather operations do, and how are they related?",
    .run      = run,
};
