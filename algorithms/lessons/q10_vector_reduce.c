/* SPDX-License-Identifier: MIT */
/* The cost of reducing vectors on a tree. */
#include "lesson.h"

static void
program(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), P = peal_size(me), n = *(const int *)arg;
    int64_t *s = peal_alloc(me, (size_t)n), *t = peal_alloc(me, (size_t)n);

    for (int i = 0; i < n; i++)
        s[i] = RANK + i;
    for (int bitmask = 1; bitmask < P; bitmask <<= 1) {
        int PARTNER = RANK ^ bitmask;
        if (RANK & bitmask) {
            peal_send_async(me, s, (size_t)n, PARTNER);   /* s[1:n] */
            peal_wait_all(me);
            break;
        } else if (PARTNER < P) {
            peal_recv_async(me, t, (size_t)n, PARTNER);
            peal_wait_all(me);
            for (int i = 0; i < n; i++)
                s[i] = s[i] + t[i];                       /* elementwise */
        }
    }
    if (RANK == 0) lesson_note(me, 0, s, (size_t)n);
}

/* Whether element i of the result is the sum of RANK + i. */
static bool
right(struct peal_board *board, int P, int n)
{
    size_t count;
    const int64_t *s = lesson_noted(board, 0, 0, &count);

    for (int i = 0; i < n; i++)
        if (s == NULL || s[i] != (int64_t)P * (P - 1) / 2 + (int64_t)P * i)
            return false;
    return true;
}

/* The four options of the quiz, without their O(). */
static struct peal_cost
option(int which, int P, int n)
{
    int q = lesson_log2(P);

    return lesson_cost(which < 2 ? 1 : q, which == 0 || which == 2 ? n : (int64_t)n * q, 0);
}

static void
run(struct peal_board *board)
{
    static const char *const options[] = {"α + βn", "α + βn·log₂P", "α·log₂P + βn", "(α + βn)·log₂P"};
    int n = 100, met[4] = {0}, sums = 0, all = 0;

    lesson_run(board, lesson_options(8, "line"), program, &n, "vectors of n = 100 words, P = 8");
    for (int P = 4; P <= 32; P *= 2)
        for (n = 1; n <= 1000; n *= 10, all++) {
            struct peal_cost cost = peal_machine_cost(lesson_try(board, lesson_options(P, "line"), program, &n));

            for (int i = 0; i < 4; i++)
                met[i] += peal_cost_equal(cost, option(i, P, n));
            sums += right(board, P, n);
        }
    lesson_say(board, "On lines of P = 4, 8, 16, 32 nodes, n = 1, 10, 100, 1000: which option is the cost?");
    for (int i = 0; i < 4; i++)
        lesson_show(board, "  %2d of %d    %s", met[i], all, options[i]);
    lesson_check_all(board, sums, all, "the right vector is on rank 0");
    lesson_check_all(board, met[3], all, "the cost is (α + βn)·log₂P");
    lesson_check_count(board, "runs whose cost is another option", met[0] + met[1] + met[2], 0, "(none)");

    lesson_answer(board, "(α + βn)·log₂P: every one of the log₂P rounds sends the full vector.");
}

const struct peal_lesson lesson_q10_vector_reduce = {
    .id       = "Q10",
    .title    = "Vector reductions",
    .source   = "Georgia Tech CS 6220, ¶ 26-28",
    .code     = "q10_vector_reduce.c",
    .question = "Every node has a vector of n words. Node 0 shall get the elementwise sum of all vectors. On a line "
                "of P = 2^k nodes, with the tree-based algorithm, what is the time?",
    .run      = run,
};
