/* SPDX-License-Identifier: MIT */
/* All-reduce, reduce-scatter-allgather: the sum of each part travels round the ring to one node, then once more to all.
 *
 *   before       node i has n words xᵢ, cut into P parts
 *   after        every node has the combination of all
 *   rounds       2(P-1)
 *   cost         2(P-1)(α + β⌈n/P⌉), which is 2βn(P-1)/P when P divides n; any P
 *   space        ⌈n/P⌉ words
 *   rank order   is not kept: part i is combined from rank i+1 on, round the end; needs a commutative operator
 *   derivation   reduce-scatter/ring, then allgather/ring, on parts.  In every round all parts are under way at once, so it
 *                takes as long as the longest, ⌈n/P⌉; every node is busy in every round, so rounds align
 *   source       Georgia Tech CS 6220, all-reduce from reduce-scatter and all-gather; Chan et al. 2007
 *
 *   P = 3
 *     round 0    0 -> 1 {2}     1 -> 2 {0}     2 -> 0 {1}
 *     round 1    0 -> 1 {1}     1 -> 2 {2}     2 -> 0 {0}         part i is complete at node i
 *     round 2    0 -> 1 {0}     1 -> 2 {1}     2 -> 0 {2}
 *     round 3    0 -> 1 {2}     1 -> 2 {0}     2 -> 0 {1}                                                   */
#include "../blocks.h"
#include "../catalog.h"
#include "../closed.h"

static void
run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me), left = (r - 1 + P) % P, right = (r + 1) % P;
    void *x = P > 1 ? peal_scratch(me, part_of(me, a, n, 0).words) : NULL;

    peal_packet(me, part_of(me, a, n, 0).words);
    for (int i = 0; i < P - 1; i++) {
        struct peal_piece sum = part_of(me, a, n, r - i - 1), next = part_of(me, a, n, r - i - 2);
        peal_sendrecv(me, sum.data, sum.words, right, x, next.words, left);
        op->combine(x, next.data, next.data, next.words);
    }
    for (int i = 0; i < P - 1; i++) {
        struct peal_piece newest = part_of(me, a, n, r - i), next = part_of(me, a, n, r - i - 1);
        peal_sendrecv(me, newest.data, newest.words, right, next.data, next.words, left);
    }
}

static bool
cost(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum;

    closed_begin(&sum, situation, POSTS_EXCHANGE);
    closed_add_ring(&sum, closed_words(&sum));
    closed_add_ring(&sum, closed_words(&sum));
    return closed_end(&sum, cost);
}

const struct peal_algorithm allreduce_reduce_scatter_allgather = {
    .collective           = PEAL_ALLREDUCE,
    .name                 = "reduce-scatter-allgather",
    .summary              = "sum each part round the ring to one node, then round to all",
    .run.allreduce        = run,
    .requires.commutative = true,
    .cost                 = cost,
    .closed_form          = "2α(P−1) + 2β(P−1)⌈n/P⌉",
    .optimal              = "β",
    .source               = "Georgia Tech CS 6220, all-reduce from reduce-scatter and all-gather; Chan et al. 2007",
};
