/* SPDX-License-Identifier: MIT */
/* All-reduce from two collectives. */
#include "lesson.h"

enum { P = 8 };

/* Which pair of collectives, on vectors of m·P words. */
struct pair {
    int m;
    bool tree; /* reduce and broadcast instead of reduce-scatter and all-gather */
};

static void
program(struct peal_node *me, void *arg)
{
    const struct pair *pair = arg;
    size_t m = (size_t)pair->m, n = m * P;
    int64_t *A = peal_alloc(me, n), *T = peal_alloc(me, m);

    for (size_t i = 0; i < n; i++)
        A[i] = peal_rank(me) + (int64_t)i;
    if (pair->tree) {
        peal_reduce_by(me, "binomial", PEAL_SUM_INT64, A, n, 0);
        peal_broadcast_by(me, "binomial", A, n, 0);
    } else {
        peal_reduce_scatter_by(me, "ring", PEAL_SUM_INT64, A, m, T);
        peal_allgather_by(me, "ring", T, m, A);
    }
    lesson_note(me, 0, A, n);
}

/* How many nodes have the sum of RANK + i in every element i. */
static int
right(struct peal_board *board, int n)
{
    int count = 0;

    for (int rank = 0; rank < P; rank++) {
        size_t words;
        const int64_t *A = lesson_noted(board, rank, 0, &words);
        bool all = A != NULL && words == (size_t)n;

        for (int i = 0; all && i < n; i++)
            all = A[i] == P * (P - 1) / 2 + P * i;
        count += all;
    }
    return count;
}

static double
time_of(struct peal_board *board, int m, bool tree)
{
    struct pair pair = {m, tree};

    return lesson_time(lesson_try(board, lesson_options(P, "line"), program, &pair));
}

static void
run(struct peal_board *board)
{
    const int q = lesson_log2(P), alpha = 1000;
    struct pair optimal = {4, false}, tree = {4, true};
    int n = optimal.m * P;
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "line"), program, &optimal,
                   "reduce-scatter and all-gather, P = %d, m = %d", P, optimal.m);

    lesson_check_count(board, "nodes that have the whole sum", right(board, n), P, "P");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(2 * (P - 1), 2 * n * (P - 1) / P, 0),
                      "2(P-1)α + 2βn(P-1)/P");
    machine = lesson_run(board, lesson_options(P, "line"), program, &tree,
                         "reduce and broadcast, P = %d, m = %d", P, tree.m);
    lesson_check_count(board, "nodes that have the whole sum", right(board, n), P, "P");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(2 * q, 2 * n * q, 0), "2(α + βn)·log₂P");

    /* 2(P-1)α + 2βm(P-1) < 2q(α + βmP) from this m on */
    int m = alpha * (P - 1 - q) / (q * P - (P - 1)) + 1;
    lesson_check(board, time_of(board, m - 1, true) <= time_of(board, m - 1, false)
                            && time_of(board, m, true) > time_of(board, m, false),
                 "with α = 1000, β = 1 the first pair is cheaper from n = %d words on", m * P);

    lesson_answer(board, "Reduce-scatter, then all-gather. They are duals, both bandwidth-optimal with bucketing. "
                         "Together they cost 2βn(P-1)/P; reduce and broadcast on trees cost 2βn·log₂P.");
}

const struct peal_lesson lesson_q25_allreduce = {
    .id       = "Q25",
    .title    = "All-reduce from two collectives",
    .source   = "Georgia Tech CS 6220, ¶ 46-47",
    .code     = "q25_allreduce.c",
    .question = "An all-reduce is a reduce whose result is on every process. Which two collectives make a "
                "bandwidth-optimal one?",
    .run      = run,
};
