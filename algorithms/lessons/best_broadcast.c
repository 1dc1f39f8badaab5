/* SPDX-License-Identifier: MIT */
/* Why no schedule of four nodes on a ring broadcasts in 2 rounds for less than 2n words, nor in any number for less
 * than n. */
#include "lesson.h"

enum { P = 4, n = 6, NO_NODE = -1 };

/* The whole vector, from a node that has it to one that does not: 0 -> 1, then 0 -> 3 and 1 -> 2. */
static void
whole(struct peal_node *me, void *arg)
{
    int64_t *a = peal_alloc(me, n);
    int r = peal_rank(me);

    (void)arg;
    if (r == 0) peal_send(me, a, n, 1);
    if (r == 1) peal_recv(me, a, n, 0);
    if (r >= 2) peal_next_round(me);
    if (r == 0) peal_send(me, a, n, 3);
    if (r == 1) peal_send(me, a, n, 2);
    if (r >= 2) peal_recv(me, a, n, r == 2 ? 1 : 0);
}

/* Two halves, in 3 rounds: 0 -> 1 {first}; 0 -> 3 {second}, 1 -> 2 {first}; 2 -> 3 {first}, 0 -> 1 {second}, 3 -> 2
 * {second}. */
static void
halves(struct peal_node *me, void *arg)
{
    int64_t *first = peal_alloc(me, n), *second = first + n / 2;
    size_t half = n / 2;
    int r = peal_rank(me);

    (void)arg;
    if (r == 0) {
        peal_send(me, first, half, 1);
        peal_send(me, second, half, 3);
        peal_send(me, second, half, 1);
    }
    if (r == 1) {
        peal_recv(me, first, half, 0);
        peal_send(me, first, half, 2);
        peal_recv(me, second, half, 0);
    }
    if (r == 2) {
        peal_next_round(me);
        peal_recv(me, first, half, 1);
        peal_sendrecv(me, first, half, 3, second, half, 3);
    }
    if (r == 3) {
        peal_next_round(me);
        peal_recv(me, second, half, 0);
        peal_sendrecv(me, second, half, 2, first, half, 2);
    }
}

/* The results of all choices of two rounds.  In a round every node sends to at most one other node, and receives from
 * at most one. */
struct count {
    int all;     /* pairs of rounds in which all nodes have words at the end */
    int in_full; /* of these, those in which a node receives only from the receiver of round 1 */
};

/* Show the choices of the second round: the receivers of the two nodes that have words, 0 and `first`. */
static void
show_second(struct peal_board *board, int first, struct count *count)
{
    for (int a = NO_NODE; a < P; a++)
        for (int b = NO_NODE; b < P; b++) {
            bool reached[P] = {true};

            reached[first] = true;
            /* no node sends to itself, no node receives twice */
            if (a == 0 || b == first || (a == b && a != NO_NODE)) continue;
            if (a != NO_NODE) reached[a] = true;
            if (b != NO_NODE) reached[b] = true;
            if (!(reached[1] && reached[2] && reached[3])) continue;
            count->all++;
            /* the node that receives from `first` receives nothing else */
            count->in_full += b != NO_NODE && b != 0;
            lesson_show(board, "  0 → %d     0 → %d  %d → %d     node %d receives only from %d", first, a, first, b, b,
                        first);
        }
}

static void
run(struct peal_board *board)
{
    struct peal_options options = lesson_options(P, "ring:4");
    const struct peal_machine *two, *three;
    struct count count = {0};

    two = lesson_run(board, options, whole, NULL, "the whole vector, n = %d words, in 2 rounds", n);
    lesson_check_cost(board, "2 rounds of n words", peal_machine_cost(two), lesson_cost(2, 2 * n, 0), "2(α + nβ)");
    three = lesson_run(board, options, halves, NULL, "two halves, in 3 rounds");
    lesson_check_cost(board, "3 rounds of n/2 words", peal_machine_cost(three), lesson_cost(3, 3 * n / 2, 0),
                      "3(α + n/2·β)");

    lesson_say(board, "Is a better schedule possible? One round does not suffice: node 0 sends to one node, and three "
                      "need the words. With two rounds: in the first, only node 0 has words, and it sends to one "
                      "node. The choices of the second round after which all nodes have words are few:");
    lesson_show(board, "  round 1   round 2");
    for (int first = 1; first < P; first++)
        show_second(board, first, &count);
    lesson_show(board, "  choices after which all nodes have words                             %d", count.all);
    lesson_show(board, "  of these, one node receives only from the receiver of round 1        %d", count.in_full);
    lesson_check(board, count.all > 0 && count.all == count.in_full,
                 "in each, some node receives only from the receiver of round 1, which must have all n words by then");
    lesson_say(board, "So rounds 1 and 2 each carry n words in one message: 2α + 2nβ is the least cost of 2 rounds. "
                      "With any number of rounds a node must receive n words through one port, so the cost is at least "
                      "nβ.");

    lesson_answer(board, "No schedule of 2 rounds costs less than 2α + 2nβ, and no schedule of any length costs less "
                         "than nβ. 3 rounds cost 3α + 3/2·nβ; more and smaller parts come arbitrarily close to nβ. "
                         "peal synthesize broadcast -t ring:4 finds these points, and proves them by a formula without "
                         "a solution; --steps 2 --rounds 3 --chunks 2 --keep p leaves formula and proof in p.cnf and "
                         "p.drat.");
}

const struct peal_lesson lesson_best_broadcast = {
    .id       = "BEST",
    .title    = "No better broadcast on four nodes",
    .source   = "Cai et al. 2021, PPoPP",
    .code     = "best_broadcast.c",
    .question = "Four nodes on a ring with one port each broadcast n words in 2 rounds for 2α + 2nβ. Can 2 rounds "
                "cost less? What is the least β of any schedule?",
    .run      = run,
};
