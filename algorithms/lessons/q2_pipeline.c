/* SPDX-License-Identifier: MIT */
/* Pipelined delivery: where α + βn comes from. */
#include "lesson.h"

/* The message is cut into words; every node passes a word on while it receives the next. */
static void
program(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), P = peal_size(me), n = *(const int *)arg;
    int64_t *word = peal_alloc(me, (size_t)n);

    if (RANK == 0) {
        for (int i = 0; i < n; i++)
            word[i] = i + 1;
        peal_compute(me, 1);                              /* preparing the message: a, once */
    }
    for (int i = 0; i <= n; i++) {
        if (RANK > 0 && i < n) peal_recv_async(me, &word[i], 1, RANK - 1);
        if (RANK < P - 1 && i > 0) peal_send_async(me, &word[i - 1], 1, RANK + 1);
        peal_wait_all(me);
    }
    if (RANK == P - 1)
        lesson_note(me, 0, word, (size_t)n);
}

/* a is the cost of an operation, t of a word on a link; a link itself has no start-up. */
static struct peal_options
pipeline(int P, double a, double t)
{
    struct peal_options options = lesson_options(P, "line");

    options.parameters = (struct peal_parameters){.alpha = 0, .beta = t, .tau = a};
    return options;
}

static bool
arrived(struct peal_board *board, int P, int n)
{
    size_t count;
    const int64_t *word = lesson_noted(board, P - 1, 0, &count);

    for (int i = 0; i < n; i++)
        if (word == NULL || word[i] != i + 1)
            return false;
    return count == (size_t)n;
}

static void
run(struct peal_board *board)
{
    enum { P = 5, N = 4 };
    int n = N, right = 0, all = 0;
    double time[3][3]; /* of n words at t */
    const struct peal_machine *machine;

    machine = lesson_run(board, pipeline(P, 1000, 1), program, &n,
                         "n = %d words from node 0 to node %d, one at a time", N, P - 1);
    lesson_say(board, "Every round takes t, because every link carries one word at most. The first word needs P-1 "
                      "rounds; every other word arrives one round after the previous one. (The machine counts a "
                      "start-up a round; here it costs nothing, α = 0. The one operation, τ, prepares the message: "
                      "a.)");
    lesson_check_count(board, "rounds that take t", peal_machine_cost(machine).beta, (P - 1) + (N - 1),
                       "P-1 for the first word + n-1 for the others");
    lesson_check_count(board, "preparations that take a", peal_machine_cost(machine).tau, 1, "(once)");

    for (int nodes = 2; nodes <= 12; nodes++)
        for (n = 1; n <= 12; n++, all++) {
            struct peal_cost cost = peal_machine_cost(lesson_try(board, pipeline(nodes, 1000, 1), program, &n));

            right += cost.tau == 1 && cost.beta == nodes - 2 + n && arrived(board, nodes, n);
        }
    lesson_check_all(board, right, all, "T = a + t(P-2) + tn for all P = 2..12 and n = 1..12");

    for (int t = 1; t <= 2; t++)
        for (n = 1; n <= 2; n++)
            time[t][n] = lesson_time(lesson_try(board, pipeline(P, 1000, t), program, &n));
    lesson_show(board, "  P = %d, a = 1000         one word   two words   a word more", P);
    for (int t = 1; t <= 2; t++)
        lesson_show(board, "  a link takes t = %d     %8.0f    %8.0f      %8.0f", t, time[t][1], time[t][2],
                    time[t][2] - time[t][1]);
    lesson_check_count(board, "with t doubled, a word more costs",
                       (int64_t)(time[2][2] - time[2][1]), 2 * (int64_t)(time[1][2] - time[1][1]), "(twice as much)");

    lesson_answer(board, "T = a + t(P-1) + t(n-1) = a + t(P-2) + tn. Because a is far greater than t, a + t(P-2) "
                         "counts as a constant, α. Only tn grows with n, so β = t.");
    lesson_correct(board, "The lesson says that β is \"sort of proportional to one over t\". It is t itself, as the "
                          "table shows: β is the inverse bandwidth, the time per word; one over t is the bandwidth.");
}

const struct peal_lesson lesson_q2_pipeline = {
    .id       = "Q2",
    .title    = "Pipelined message delivery",
    .source   = "Georgia Tech CS 6220, ¶ 5-6",
    .code     = "q2_pipeline.c",
    .question = "On a line of P nodes, node 0 sends n words to the last node, one word at a time. Preparing the "
                "message takes a; a word takes t from one node to the next. What is the minimum time?",
    .run      = run,
};
