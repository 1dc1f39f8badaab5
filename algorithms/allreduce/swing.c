/* SPDX-License-Identifier: MIT */
/* All-reduce, swing: reduce-scatter and all-gather with partners on alternating sides, at distances 1, 1, 3, 5, 11, ..
 *
 *   before       node i has n words xᵢ, cut into P parts
 *   after        every node has the combination of all
 *   rounds       2⌈log₂P⌉
 *   cost         2α⌈log₂P⌉ + 2βn(P-1)/P, any even P that divides n; on a ring of 2^q nodes half the cost of
 *                Rabenseifner's
 *   space        2n words, and the space of reduce-scatter/swing and all-gather/swing
 *   rank order   is not kept; needs a commutative operator
 *   derivation   the sum of both; every node is busy in every round, so rounds align
 *   source       De Sensi et al., NSDI 2024, arXiv 2401.09356
 *
 *   P = 6, even ranks; the odd ones send back as much
 *     round 1    0 -> 1 {1 4}    2 -> 3 {3 0}    4 -> 5 {5 2}      1 on
 *     round 2    0 -> 5 {5 2}    2 -> 1 {1 4}    4 -> 3 {3 0}      1 back
 *     round 3    0 -> 3 {3}      2 -> 5 {5}      4 -> 1 {1}        3 on
 *     rounds 4 to 6 as all-gather/swing                                                                      */
#include "../patterns/swing.h"

static void
allreduce_swing_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    struct peal_blocks cut = parts(me, n);
    void *own = block_of(me, a, &cut, peal_rank(me)).data;

    reduce_scatter_swing.run.reduce_scatter(me, op, a, &cut, own);
    allgather_swing.run.allgather(me, own, &cut, a);
}

static void
allreduce_swing_cost(struct closed *sum)
{
    int64_t P = sum->situation->nodes;

    closed_bundles(sum);
    if (closed_words(sum) % P != 0)
        sum->known = false;                               /* the differences of the parts of a step are not derived */
    swing_closed_blocks(sum, closed_words(sum) / P);
    swing_closed_blocks(sum, closed_words(sum) / P);
}

const struct peal_algorithm allreduce_swing = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "swing",
    .summary           = "reduce-scatter and all-gather with partners on alternating sides",
    .run.allreduce     = allreduce_swing_run,
    .needs.even        = true,
    .needs.commutative = true,
    .cost              = allreduce_swing_cost,
    .texts             = TEXTS(
        {.on = "full", .alpha = "2α⌈log₂P⌉", .beta = "2βn(P−1)/P", .near = true},
        {.on = "ring", .alpha = "2αq", .beta = "β(n/P)(3Pq+10P−9−(−1)^q)/9", .hop = "2t_d⌊2P/3⌋", .names = "q = log₂P"},
        {.on = "line", .alpha = "2αq", .beta = "β(n/P)(6Pq+8P−9+(−1)^q)/9", .hop = "2t_d(2+P(q−1)−⌊2P/3⌋)",
         .names = "q = log₂P"},
        {.on = "hypercube", .alpha = "2αq", .beta = "2βn(P−1)/P", .hop = "2t_d(1+q(q−1))", .stored = "β(n/P)(P+q(P−2))",
         .names = "q = log₂P"}),
    .optimal           = "β; α within 2; short ways on rings and tori",
    .differs           = PEAL_DIFFERS(SIZES),
    .holds             = 5,
    .lists             = 11,
    .source            = "De Sensi et al., NSDI 2024, arXiv 2401.09356",
};
