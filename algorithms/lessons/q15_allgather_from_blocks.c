/* SPDX-License-Identifier: MIT */
/* All-gather from building blocks: a gather, then a broadcast. */
#include "lesson.h"

enum { P = 8, m = 4, n = m * P, root = 0 };

static void
program(struct peal_node *me, void *arg)
{
    int64_t In[m], *Out = peal_alloc(me, n);              /* Out[1:m][1:P] */

    (void)arg;
    for (int i = 0; i < m; i++)
        In[i] = 100 * (peal_rank(me) + 1) + i;
    peal_gather_by(me, "binomial", In, m, root, Out);
    peal_broadcast_by(me, "binomial", Out, n, root);      /* reshape(Out): the same words, seen as one vector */
    lesson_note(me, 0, Out, n);
}

static void
run(struct peal_board *board)
{
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "full"), program, NULL,
                   "gather, then broadcast; m = %d, P = %d, n = mP = %d", m, P, n);
    int64_t everything[n], words[2] = {0, 0};
    int right = 0, q = lesson_log2(P);

    for (int i = 0; i < n; i++)
        everything[i] = 100 * (i / m + 1) + i % m;
    for (int rank = 0; rank < P; rank++)
        right += lesson_noted_is(board, rank, 0, everything, n);
    for (int i = 0; i < lesson_rounds(machine); i++)
        words[i >= q] += lesson_round(machine, i).words;
    lesson_check_all(board, right, P, "every rank has all blocks in order");
    lesson_check_count(board, "words in the rounds of the gather", words[0], n * (P - 1) / P, "n(P-1)/P");
    lesson_check_count(board, "words in the rounds of the broadcast", words[1], n * q, "n·log₂P");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(2 * q, n * (P - 1) / P + n * q, 0),
                      "2α·log₂P + βn((P-1)/P + log₂P)");

    lesson_answer(board, "gather(In, root, Out); broadcast(reshape(Out), root). The reshape moves nothing: the P "
                         "columns of m words already lie one after the other. If gather and broadcast were both "
                         "within a constant of the bounds, the all-gather would be too. The broadcast on a tree is "
                         "not: it sends n words log₂P times (see Q23).");
}

const struct peal_lesson lesson_q15_allgather_from_blocks = {
    .id       = "Q15",
    .title    = "All-gather from building blocks",
    .source   = "Georgia Tech CS 6220, ¶ 31-35",
    .code     = "q15_allgather_from_blocks.c",
    .question = "With only reduce, broadcast, scatter, gather and reshape: how do you write allGather(In[1:m], "
                "Out[1:m][1:P])?",
    .run      = run,
};
