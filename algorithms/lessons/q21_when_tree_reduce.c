/* SPDX-License-Identifier: MIT */
/* When the tree-based reduce is good enough. */
#include "lesson.h"

static void
program(struct peal_node *me, void *arg)
{
    size_t n = *(const size_t *)arg;
    int64_t *A = peal_alloc(me, n);

    peal_reduce_by(me, "binomial", PEAL_SUM_INT64, A, n, 0);
}

/* The start-ups' share of the time of a reduce, in percent. */
static double
share_of_startups(struct peal_board *board, int P, size_t n, double alpha, double beta)
{
    struct peal_options options = lesson_options(P, "line");

    options.parameters = (struct peal_parameters){.alpha = alpha, .beta = beta};
    const struct peal_machine *machine = lesson_try(board, options, program, &n);

    return 100 * alpha * (double)peal_machine_cost(machine).alpha / lesson_time(machine);
}

static void
run(struct peal_board *board)
{
    const double alpha = 1000, beta = 1;
    size_t crossing = (size_t)(alpha / beta), n = crossing / 100;
    bool cancels = true;

    lesson_run(board, lesson_options(8, "line"), program, &n, "n = %zu words, P = 8", n);
    lesson_say(board, "Share of the start-ups in the time (α = 1000, β = 1, α/β = %zu):", crossing);
    lesson_show(board, "        n      P = 4     P = 16     P = 64");
    for (n = crossing / 1000; n <= 100 * crossing; n *= 10) {
        double share[3] = {share_of_startups(board, 4, n, alpha, beta), share_of_startups(board, 16, n, alpha, beta),
                           share_of_startups(board, 64, n, alpha, beta)};

        lesson_show(board, "  %7zu  %7.1f %%  %7.1f %%  %7.1f %%", n, share[0], share[1], share[2]);
        cancels = cancels && share[0] == share[1] && share[1] == share[2];
    }
    lesson_check(board, cancels, "P does not matter: log₂P is a factor of both terms");
    lesson_check_count(board, "percent at n = α/β",
                       (int64_t)share_of_startups(board, 16, crossing, alpha, beta), 50, "(one half)");
    lesson_check(board, share_of_startups(board, 16, crossing / 100, alpha, beta) > 99,
                 "βn << α: with n = α/(100β), start-ups are over 99 percent; dropping the βn term would save less "
                 "than 1 percent");
    lesson_check(board, share_of_startups(board, 16, crossing * 100, alpha, beta) < 1,
                 "βn >> α: with n = 100α/β they are under 1 percent, and a scheme that sends less would win");
    lesson_check(board, share_of_startups(board, 16, 10, beta, alpha) < 1,
                 "inverse bandwidth >> latency (α = 1, β = 1000): even 10 words would be too many");

    lesson_answer(board, "βn << α, that is n << α/β: \"n is small\". Then the α term dominates, and it does not "
                         "matter that the β term is log₂P times the bound. The other three are wrong: log₂P << P, for "
                         "example, says nothing about n.");
}

const struct peal_lesson lesson_q21_when_tree_reduce = {
    .id       = "Q21",
    .title    = "When to use tree-based reduce",
    .source   = "Georgia Tech CS 6220, ¶ 39-42",
    .code     = "q21_when_tree_reduce.c",
    .question = "T(n) = α·log₂P + βn·log₂P. When is this scheme okay? βn << α; αβ << n; log₂P << P; n is small; "
                "inverse bandwidth >> latency.",
    .run      = run,
};
