/* SPDX-License-Identifier: MIT */
/* An all-reduce of floating-point numbers with different sums on nodes, and a loop that such a sum ends. */
#include "lesson.h"
#include <string.h>

enum { P = 8 };

/* 2⁵³: the least double to which adding 1 changes nothing. */
static const double large = 9007199254740992.0;

/* Rank 0 has 2⁵³, rank 2 has 1, rank 6 has −2⁵³, the others have 0: the sum is 1. */
static double
own_number(int rank)
{
    return rank == 0 ? large : rank == 6 ? -large : rank == 2 ? 1.0 : 0.0;
}

static void
sum(struct peal_node *me, void *arg)
{
    double x = own_number(peal_rank(me));

    peal_allreduce_by(me, arg, PEAL_SUM_DOUBLE, &x, 1);
    lesson_note(me, 0, &x, 1);
}

/* Go on until the sum of all is 0, which is so from the second time on. */
static void
loop(struct peal_node *me, void *arg)
{
    double x = own_number(peal_rank(me)), all;

    do {
        all = x;
        peal_allreduce_by(me, arg, PEAL_SUM_DOUBLE, &all, 1);
        x = 0;
    } while (all > 0);
}

static double
sum_of(struct peal_board *board, int rank)
{
    size_t count;
    const int64_t *word = lesson_noted(board, rank, 0, &count);
    double value = -1;

    if (word != NULL)
        memcpy(&value, word, sizeof value);
    return value;
}

/* Show the sum of each node; return how many are 0. */
static int
show_sums(struct peal_board *board)
{
    char line[100] = "sum on nodes 0 to 7:";
    int zeros = 0;

    for (int rank = 0; rank < P; rank++) {
        snprintf(line + strlen(line), sizeof line - strlen(line), "  %g", sum_of(board, rank));
        zeros += sum_of(board, rank) < 0.5;
    }
    lesson_show(board, "%s", line);
    return zeros;
}

static void
run(struct peal_board *board)
{
    lesson_say(board, "A double has 53 bits: 2^53 + 1 is 2^53. Rank 0 has 2^53, rank 2 has 1, rank 6 has -2^53, all "
                      "others have 0. The exact sum is 1; a floating-point sum depends on the order of the "
                      "additions.");
    lesson_run(board, lesson_options(P, "full"), sum, "swing-latency",
               "all-reduce, each node with a partner on alternating sides");
    int zeros = show_sums(board);

    lesson_check(board, zeros > 0 && zeros < P, "some nodes have the sum 0, the others 1");
    lesson_check(board, sum_of(board, 0) > 0, "node 0 adds ((x0+x1) + (x6+x7)) + ((x2+x3) + (x4+x5)) = 0 + 1");
    lesson_check(board, sum_of(board, 1) <= 0, "node 1 adds ((x0+x1) + (x2+x3)) + ((x4+x5) + (x6+x7)) = 2^53 - 2^53");

    lesson_run(board, lesson_options(P, "full"), sum, "recursive-doubling", "all-reduce by recursive doubling");
    lesson_check(board, show_sums(board) == P, "all nodes have the same sum, though it is not the exact one");

    lesson_run_wrong(board, lesson_options(P, "full"), loop, "swing-latency", PEAL_COLLECTIVE_MISMATCH,
                     "a loop that ends when the sum is 0: some nodes leave it, and the others wait for them");
    lesson_run(board, lesson_options(P, "full"), loop, "recursive-doubling",
               "the same loop, with the same sum on all nodes");

    lesson_answer(board, "No: with some algorithms nodes add the same numbers in different orders, and floating-point "
                         "addition is not associative. MPI 3.1 (section 5.9.6) requires that all nodes receive "
                         "identical results. peal check --identical reports for each reduction where results are the "
                         "same. Peal chooses an all-reduce that differs between nodes only if it is named.");
}

const struct peal_lesson lesson_same_sum = {
    .id       = "SAME",
    .title    = "Is your sum the same everywhere?",
    .source   = "MPI 3.1, section 5.9.6",
    .code     = "same_sum.c",
    .question = "Eight nodes add floating-point numbers with an all-reduce, and then decide by the sum whether to go "
                "on. Do all of them decide alike?",
    .run      = run,
};
