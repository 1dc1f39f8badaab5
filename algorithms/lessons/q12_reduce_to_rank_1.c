/* SPDX-License-Identifier: MIT */
/* Where the result of a reduce is. */
#include "lesson.h"

enum { P = 3, n = 4, ROOT = 1 };

static void
program(struct peal_node *me, void *arg)
{
    int64_t A_local[n];

    (void)arg;
    for (int i = 0; i < n; i++)
        A_local[i] = peal_rank(me) + 1;
    lesson_note(me, 0, A_local, n);
    peal_reduce(me, PEAL_SUM_INT64, A_local, n, ROOT);
    lesson_note(me, 1, A_local, n);
}

static int64_t
element_on(struct peal_board *board, int rank)
{
    size_t count;
    const int64_t *A_local = lesson_noted(board, rank, 1, &count);

    return A_local != NULL ? A_local[0] : 0;
}

static void
run(struct peal_board *board)
{
    int right = 0;

    lesson_run(board, lesson_options(P, "full"), program, NULL, "A_local = RANK + 1, reduce(A_local, 1)");
    lesson_say(board, "Every element of A_local, on ranks 0, 1, 2:");
    lesson_show_words(board, "before", 0);
    lesson_show_words(board, "after", 1);
    for (int rank = 0; rank < P; rank++) {
        int64_t element = rank == ROOT ? P * (P + 1) / 2 : rank + 1, expected[n] = {element, element, element, element};

        right += lesson_noted_is(board, rank, 1, expected, n);
    }
    lesson_check_count(board, "an element on the root", element_on(board, ROOT), 1 + 2 + 3, "1 + 2 + 3");
    lesson_check_all(board, right, P, "the root has the sum; the others have their own words");

    lesson_answer(board, "1 on rank 0, 6 on rank 1 and 3 on rank 2: the sum is on the root, and A_local is "
                         "unmodified elsewhere.");
}

const struct peal_lesson lesson_q12_reduce_to_rank_1 = {
    .id       = "Q12",
    .title    = "Where the result of a reduce is",
    .source   = "Georgia Tech CS 6220, ¶ 30",
    .code     = "q12_reduce_to_rank_1.c",
    .question = "Each of 3 processes fills its private array A_local with RANK + 1; then all call reduce(A_local, "
                "root = 1). What is A_local afterwards?",
    .run      = run,
};
