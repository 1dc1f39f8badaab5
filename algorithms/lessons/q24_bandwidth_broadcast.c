/* SPDX-License-Identifier: MIT */
/* A bandwidth-optimal broadcast: scatter, then all-gather. */
#include "lesson.h"

enum { P = 8 };

/* broadcast(A[1:m·P], root) */
struct broadcast_call {
    int m, root;
    bool tree; /* the tree-based broadcast instead */
};

static void
program(struct peal_node *me, void *arg)
{
    const struct broadcast_call *call = arg;
    size_t m = (size_t)call->m, n = m * P;
    int64_t *A = peal_alloc(me, n), *T = peal_alloc(me, m); /* B = reshape(A): P blocks of m words, in place */

    if (peal_rank(me) == call->root)
        for (size_t i = 0; i < n; i++)
            A[i] = 100 + (int64_t)i;
    if (call->tree) {
        peal_broadcast_by(me, "binomial", A, n, call->root);
    } else {
        peal_scatter_by(me, "binomial", A, m, call->root, T);
        peal_allgather_by(me, "ring", T, m, A);
    }
    lesson_note(me, 0, A, n);
}

static int
reached(struct peal_board *board, int n)
{
    int count = 0;

    for (int rank = 0; rank < P; rank++) {
        size_t words;
        const int64_t *A = lesson_noted(board, rank, 0, &words);
        bool right = A != NULL && words == (size_t)n;

        for (int i = 0; right && i < n; i++)
            right = A[i] == 100 + i;
        count += right;
    }
    return count;
}

static double
time_of(struct peal_board *board, int m, bool tree)
{
    struct broadcast_call call = {m, 0, tree};

    return lesson_time(lesson_try(board, lesson_options(P, "full"), program, &call));
}

static void
run(struct peal_board *board)
{
    const int q = lesson_log2(P), alpha = 1000;
    struct broadcast_call call = {4, 0, false};
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "line"), program, &call,
                   "scatter and bucketing, P = %d, m = %d", P, call.m);
    struct peal_cost cost = peal_machine_cost(machine);
    int n = call.m * P, same = 0;
    /* (q + P-1)α + 2βn(P-1)/P = q(α + βn) at this m */
    int m = alpha * (P - 1) / (q * P - 2 * (P - 1));

    lesson_check_count(board, "nodes that have A", reached(board, n), P, "P");
    lesson_check_cost(board, "cost", cost, lesson_cost(q + P - 1, 2 * n * (P - 1) / P, 0),
                      "α(log₂P + P-1) + 2βn(P-1)/P");
    lesson_show(board, "  α = 1000, β = 1     tree-based    scatter and all-gather");
    for (int i = -1; i <= 1; i++)
        lesson_show(board, "    n = %d            %6.0f         %6.0f", (m + i) * P, time_of(board, m + i, true),
                    time_of(board, m + i, false));
    lesson_check(board, time_of(board, m - 1, true) < time_of(board, m - 1, false),
                 "the tree is cheaper below n = %d", m * P);
    lesson_check(board, time_of(board, m, true) == time_of(board, m, false),
                 "both cost the same at n = α(P-1) / β(log₂P - 2(P-1)/P) = %d", m * P);
    lesson_check(board, time_of(board, m + 1, true) > time_of(board, m + 1, false), "the tree costs more above it");

    lesson_answer(board, "let B = reshape(A); scatter(B, root, T); allGather(T, B). Each of the two sends n(P-1)/P "
                         "words, so β is within a factor of two of the bound for any P, instead of log₂P.");
    lesson_correct(board, "The lesson writes allGather(T, B, root). The root is superfluous: an all-gather has none, "
                          "and its signature earlier in the lesson takes none. The call is the same for every root of "
                          "the broadcast:");
    for (call.root = 0; call.root < P; call.root++) {
        cost = peal_machine_cost(lesson_try(board, lesson_options(P, "full"), program, &call));
        same += reached(board, n) == P && peal_cost_equal(cost, lesson_cost(q + P - 1, 2 * n * (P - 1) / P, 0));
    }
    lesson_check_all(board, same, P, "from every root it reaches all nodes at that cost");
}

const struct peal_lesson lesson_q24_bandwidth_broadcast = {
    .id       = "Q24",
    .title    = "Bandwidth-optimal broadcast",
    .source   = "Georgia Tech CS 6220, ¶ 44-45",
    .code     = "q24_bandwidth_broadcast.c",
    .question = "Give an algorithm for broadcast(A[1:m·P], root) that is asymptotically optimal in bandwidth. "
                "(Hint: combine optimal collectives.)",
    .run      = run,
};
