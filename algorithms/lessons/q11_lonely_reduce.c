/* SPDX-License-Identifier: MIT */
/* A collective that only one process calls. */
#include "lesson.h"

enum { P = 4, n = 3 };

static void
lonely(struct peal_node *me, void *arg)
{
    int64_t X[n] = {1, 2, 3};

    (void)arg;
    if (peal_rank(me) == 0) {
        peal_reduce(me, PEAL_SUM_INT64, X, n, 0);
    } else {
        /* twiddle thumbs */
    }
}

static void
together(struct peal_node *me, void *arg)
{
    int64_t X[n] = {1, 2, 3};

    (void)arg;
    peal_reduce(me, PEAL_SUM_INT64, X, n, 0);
    lesson_note(me, 0, X, n);
}

static void
run(struct peal_board *board)
{
    static const int64_t sums[n] = {P * 1, P * 2, P * 3};
    const struct peal_machine *machine =
        lesson_run_wrong(board, lesson_options(P, "full"), lonely, NULL, PEAL_COLLECTIVE_MISMATCH,
                         "only rank 0 calls reduce");
    const struct peal_failure *failure = peal_machine_failure(machine);

    lesson_check(board, failure != NULL && failure->node_count == 1 && failure->nodes[0].rank == 0,
                 "rank 0 is the only one that has not finished");
    lesson_check(board, failure != NULL && failure->cycle_length == 0,
                 "there is no cycle of waiting nodes: the message for rank 0 is never sent");
    lesson_run(board, lesson_options(P, "full"), together, NULL, "every rank calls it");
    lesson_check(board, lesson_noted_is(board, 0, 0, sums, n), "the sums are on rank 0");

    lesson_answer(board, "It deadlocks. Every process must call a collective; here rank 0 waits for messages that are "
                         "never sent. The machine reports which call not every process makes, as soon as no process "
                         "can go on.");
}

const struct peal_lesson lesson_q11_lonely_reduce = {
    .id       = "Q11",
    .title    = "A reduce that only one process calls",
    .source   = "Georgia Tech CS 6220, ¶ 30",
    .code     = "q11_lonely_reduce.c",
    .question = "if RANK = 0 then reduce(X[:], 0) else twiddle thumbs. What does this program do?",
    .run      = run,
};
