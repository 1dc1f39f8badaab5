/* SPDX-License-Identifier: MIT */
/* All-to-one reduce on a tree, P a power of two. */
#include "lesson.h"

static void
program(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), P = peal_size(me), round = 0;
    int64_t s = RANK + 1, t;                              /* the local value */

    (void)arg;
    lesson_note(me, round, &s, 1);
    for (int bitmask = 1; bitmask < P; bitmask <<= 1) {
        int PARTNER = RANK ^ bitmask;
        if (RANK & bitmask) {
            peal_send_async(me, &s, 1, PARTNER);
            peal_wait_all(me);
            break;                                        /* once sent, drop out */
        } else if (PARTNER < P) {                         /* always, for P = 2^k: see Q9 */
            peal_recv_async(me, &t, 1, PARTNER);
            peal_wait_all(me);
            s = s + t;
        }
        lesson_note(me, ++round, &s, 1);
    }
    if (RANK == 0) lesson_note(me, 15, &s, 1);            /* print(s) */
}

static int64_t
printed(struct peal_board *board)
{
    size_t count;
    const int64_t *s = lesson_noted(board, 0, 15, &count);

    return s != NULL ? *s : -1;
}

static void
run(struct peal_board *board)
{
    enum { P = 8 };
    const struct peal_machine *machine = lesson_run(board, lesson_options(P, "line"), program, NULL,
                                                    "P = 8 on a line, s = RANK + 1");
    int right = 0, sizes = 0, near = 0;
    char label[20];

    lesson_say(board, "The partial sums; a node that has sent drops out:");
    lesson_show_words(board, "at first", 0);
    for (int i = 1; i <= lesson_log2(P); i++) {
        snprintf(label, sizeof label, "round %d", i);
        lesson_show_words(board, label, i);
        near += lesson_round(machine, i - 1).hops == 1 << (i - 1);
    }
    lesson_check_count(board, "sum on rank 0", printed(board), P * (P + 1) / 2, "1 + 2 + ... + 8");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(lesson_log2(P), lesson_log2(P), 0),
                      "(α + β)·log₂P");
    lesson_check_all(board, near, lesson_log2(P), "in round i messages go 2^(i-1) hops");
    lesson_check(board, lesson_uncongested(machine), "k = 1 in every round: the paths have no link in common");
    for (int nodes = 2; nodes <= 64; nodes *= 2, sizes++) {
        int q = lesson_log2(nodes);
        struct peal_cost cost = peal_machine_cost(lesson_try(board, lesson_options(nodes, "line"), program, NULL));

        right += peal_cost_equal(cost, lesson_cost(q, q, 0)) && printed(board) == nodes * (nodes + 1) / 2;
    }
    lesson_check_all(board, right, sizes, "the right sum at that cost for P = 2, 4, .. 64");

    lesson_answer(board, "A tree: odd ranks send to their even neighbours, then the odd ones among the remaining "
                         "nodes, and so on. log₂P rounds of one word on disjoint paths: (α + β)·log₂P.");

    lesson_try(board, lesson_options(9, "line"), program, NULL);
    int64_t nine = printed(board);
    lesson_try(board, lesson_options(10, "line"), program, NULL);
    int64_t ten = printed(board);
    lesson_correct(board, "The transcript numbers the nodes 0 to 8 and has their values add up to 55; the picture "
                          "itself is lost. With the values 1, 2, ... these two disagree: the machine finds %d on nine "
                          "nodes, and %d needs ten nodes. Nine is not a power of two either, which the pseudocode "
                          "requires until Q9. The values above are our own.",
                   (int)nine, (int)ten);
    lesson_check_count(board, "sum of RANK + 1 on the nine ranks 0 to 8", nine, 45, "9·10/2");
    lesson_check_count(board, "sum of RANK + 1 on ten ranks", ten, 55, "10·11/2");
}

const struct peal_lesson lesson_q8_tree_reduce = {
    .id       = "Q8",
    .title    = "All-to-one reduce on a tree",
    .source   = "Georgia Tech CS 6220, ¶ 16, 23",
    .code     = "q8_tree_reduce.c",
    .question = "Every node of a line has a value. How do you bring their sum to node 0, and in how many rounds?",
    .run      = run,
};
