/* SPDX-License-Identifier: MIT */
/* Scatter by divide and conquer. */
#include "lesson.h"

enum { m = 4 };

static void
program(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), P = peal_size(me), left = 0, right = P, root = 0;
    int64_t *x = peal_alloc(me, (size_t)(m * P));         /* the root has all of it; I need x[RANK] */

    (void)arg;
    if (RANK == root)
        for (int i = 0; i < m * P; i++)
            x[i] = 100 + i;
    while (right - left > 1) {
        int mid = (left + right) / 2, dest = mid;         /* the nodes left..right-1, cut in two */

        if (RANK == root) peal_send(me, peal_block(x, m, mid), (size_t)(m * (right - mid)), dest);
        if (RANK == dest) peal_recv(me, peal_block(x, m, mid), (size_t)(m * (right - mid)), root);
        if (RANK < mid) {
            right = mid;                                  /* conquer my half */
        } else {
            left = mid;
            root = dest;
        }
    }
    lesson_note(me, 0, peal_block(x, m, RANK), m);
}

static int
served(struct peal_board *board, int P)
{
    int count = 0;

    for (int rank = 0; rank < P; rank++) {
        int64_t block[m];

        for (int i = 0; i < m; i++)
            block[i] = 100 + rank * m + i;
        count += lesson_noted_is(board, rank, 0, block, m);
    }
    return count;
}

/* The root must send m(P-1) words, and a round at most doubles the number of nodes that have their words. */
static struct peal_cost
bound(int P)
{
    int rounds = 0;

    for (int reached = 1; reached < P; reached *= 2)
        rounds++;
    return lesson_cost(rounds, m * (P - 1), 0);
}

static void
run(struct peal_board *board)
{
    enum { P = 8, n = m * P };
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(P, "line"), program, NULL, "P = %d on a line, m = %d, n = mP = %d", P, m, n);
    int halved = 0, right = 0, sizes = 0;

    for (int i = 1; i <= lesson_log2(P); i++)
        halved += lesson_round(machine, i - 1).words == n >> i;
    struct peal_cost cost = peal_machine_cost(machine);

    lesson_check_count(board, "nodes that have their block", served(board, P), P, "P");
    lesson_check_all(board, halved, lesson_log2(P), "in round i messages have n/2^i words");
    lesson_check_cost(board, "cost", cost, lesson_cost(lesson_log2(P), n * (P - 1) / P, 0),
                      "α·log₂P + βn(P-1)/P");
    for (int nodes = 2; nodes <= 64; nodes *= 2, sizes++) {
        machine = lesson_try(board, lesson_options(nodes, "line"), program, NULL);
        right += served(board, nodes) == nodes
                 && peal_cost_equal(peal_machine_cost(machine), lesson_cost(lesson_log2(nodes), m * (nodes - 1), 0));
    }
    lesson_check_all(board, right, sizes, "the same holds for P = 2, 4, .. 64");
    lesson_check_cost(board, "lower bound of a scatter of 8 blocks", bound(P), cost, "cost of this one");

    lesson_answer(board, "T(n) = Σ (α + βn/2^i) for i = 1 .. log₂P = α·log₂P + βn(P-1)/P. It attains the lower bound "
                         "in both terms. The naive scatter (Q19) sends the same number of words, but with P-1 "
                         "start-ups.");
}

const struct peal_lesson lesson_q20_divide_and_conquer = {
    .id       = "Q20",
    .title    = "Scatter by divide and conquer",
    .source   = "Georgia Tech CS 6220, ¶ 38",
    .code     = "q20_divide_and_conquer.c",
    .question = "Divide the network into two pieces, send one piece's half of the data to a process in it, and do "
                "the same in both pieces at once. What does this scatter cost?",
    .run      = run,
};
