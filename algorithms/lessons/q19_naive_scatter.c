/* SPDX-License-Identifier: MIT */
/* Scatter, naively: the root sends every block itself. */
#include "lesson.h"

/* A variant of the program: m words a block, and whether the root copies its own block. */
struct variant {
    int m;
    bool own_copy;
};

enum { root = 0 };

static void
scatter(struct peal_node *me, const int64_t *In, int64_t *Out, const struct variant *variant)
{
    int RANK = peal_rank(me), P = peal_size(me);
    size_t m = (size_t)variant->m;

    if (RANK == root) {
        for (int i = 0; i < P; i++)
            if (i != root) peal_send_async(me, peal_block(In, m, i), m, i);
        if (variant->own_copy)
            for (size_t j = 0; j < m; j++)
                Out[j] = peal_block(In, m, root)[j];      /* the line that is missing */
    } else {
        peal_recv_async(me, Out, m, root);
    }
    peal_wait_all(me);
}

static void
program(struct peal_node *me, void *arg)
{
    const struct variant *variant = arg;
    size_t m = (size_t)variant->m, n = m * (size_t)peal_size(me);
    int64_t *In = peal_alloc(me, n), *Out = peal_alloc(me, m); /* all 0 */

    if (peal_rank(me) == root)
        for (size_t i = 0; i < n; i++)
            In[i] = 100 + (int64_t)i;
    scatter(me, In, Out, variant);
    lesson_note(me, 0, Out, m);
}

/* How many nodes have their block: on node i it begins with word m·i of In. */
static int
served(struct peal_board *board, int P, int m)
{
    int count = 0;
    size_t words;

    for (int rank = 0; rank < P; rank++) {
        const int64_t *Out = lesson_noted(board, rank, 0, &words);
        bool right = Out != NULL;

        for (int i = 0; right && i < m; i++)
            right = Out[i] == 100 + rank * m + i;
        count += right;
    }
    return count;
}

static void
run(struct peal_board *board)
{
    enum { P = 8, m = 4 };
    struct variant as_printed = {m, false}, complete = {m, true};
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "full"), program, &as_printed, "the pseudocode, P = %d, m = %d", P, m);
    int linear = 0, all = 0;

    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(P - 1, m * (P - 1), 0), "(P-1)(α + βm)");
    lesson_check_count(board, "nodes that have their block", served(board, P, m), P - 1, "P-1 (all but the root)");
    for (int nodes = 2; nodes <= 32; nodes++, all++) {
        struct peal_cost cost = peal_machine_cost(lesson_try(board, lesson_options(nodes, "full"), program, &complete));

        linear += peal_cost_equal(cost, lesson_cost(nodes - 1, m * (nodes - 1), 0)) && served(board, nodes, m) == nodes;
    }
    lesson_check_all(board, linear, all, "(P-1)(α + βm) for P = 2..32");

    lesson_answer(board, "(α + βm)P: a node sends one message at a time, so the root's P-1 messages go one "
                         "after the other. The exact cost is (P-1)(α + βm): the root sends itself nothing.");
    lesson_correct(board, "In the lesson's pseudocode the root never gets its own block: Out stays empty there. The "
                          "copy Out ← In[:][root] is missing; it is not a message and costs nothing.");
    machine = lesson_run(board, lesson_options(P, "full"), program, &complete, "with the root's own copy");
    lesson_check_count(board, "nodes that have their block", served(board, P, m), P, "P");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(P - 1, m * (P - 1), 0), "(P-1)(α + βm)");
}

const struct peal_lesson lesson_q19_naive_scatter = {
    .id       = "Q19",
    .title    = "Implement scatter",
    .source   = "Georgia Tech CS 6220, ¶ 36-37",
    .code     = "q19_naive_scatter.c",
    .question = "if RANK = root then for i ≠ root do sendAsync(In[:][i], i) else recvAsync(Out[:], root); wait(*). "
                "How much communication time does this scatter need?",
    .run      = run,
};
