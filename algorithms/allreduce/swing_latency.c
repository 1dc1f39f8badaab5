/* SPDX-License-Identifier: MIT */
/* All-reduce, swing-latency: exchange whole vectors with partners on alternating sides, at distances 1, 1, 3, 5, 11, ..
 *
 *   before       node i has n words xᵢ
 *   after        every node has the combination of all
 *   rounds       log₂P
 *   cost         (α + βn) log₂P on a full network, P = 2^q; on a ring α log₂P + βn Σ (d_s+1)/2, d_s = 1, 1, 3, 5, 11,
 *                ..: 1 + 1 + 2 + 3 + 6 .. where recursive doubling takes 1 + 2 + 4 + 8 + 16 ..
 *   space        n words
 *   rank order   is not kept; needs a commutative operator.  Nodes bracket differently: with P = 8 node 0 forms
 *                ((0+1)+(6+7)) + ((2+3)+(4+5)), node 1 ((0+1)+(2+3)) + ((4+5)+(6+7))
 *   derivation   before step s the sum of node r covers the nodes that its partners of the earlier steps cover (each
 *                once, for the distances make all of 2^s nodes); half of the messages go either way round (swing.c)
 *   source       De Sensi et al., NSDI 2024, arXiv 2401.09356
 *
 *   P = 8 (P must be a power of two), even ranks
 *     round 1    0 -> 1    2 -> 3    4 -> 5    6 -> 7      1 on
 *     round 2    0 -> 7    2 -> 1    4 -> 3    6 -> 5      1 back
 *     round 3    0 -> 3    2 -> 5    4 -> 7    6 -> 1      3 on                                              */
#include "../patterns/swing.h"

static void
allreduce_swing_latency_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    void *x = peal_scratch(me, n);

    for (int s = 0; s < ceiling_log2(P); s++) {
        int partner = swing_partner(P, r, s);

        peal_sendrecv(me, a, n, partner, x, n, partner);
        peal_combine(op, a, x, a, n);
    }
}

static void
allreduce_swing_latency_cost(struct closed *sum)
{
    int P = sum->situation->nodes;

    for (int s = 0; s < ceiling_log2(P); s++)
        swing_closed_shift(sum, swing_distance(P, s), closed_words(sum));
}

const struct peal_algorithm allreduce_swing_latency = {
    .collective         = PEAL_ALLREDUCE,
    .name               = "swing-latency",
    .summary            = "exchange whole vectors with partners on alternating sides",
    .run.allreduce      = allreduce_swing_latency_run,
    .needs.power_of_two = true,
    .needs.commutative  = true,
    .differs            = PEAL_DIFFERS(NODES),
    .cost               = allreduce_swing_latency_cost,
    .texts              = TEXTS(
        {.on = "full", .alpha = "α log₂P", .beta = "βn log₂P", .near = true},
        {.on = "ring", .alpha = "αq", .beta = "βn(⌊2P/3⌋+q)/2", .hop = "t_d⌊2P/3⌋", .names = "q = log₂P"},
        {.on = "line", .alpha = "αq", .beta = "βn(⌊2P/3⌋+⌊q/2⌋)", .hop = "t_d(2+P(q−1)−⌊2P/3⌋)", .names = "q = log₂P"},
        {.on = "hypercube", .alpha = "αq", .beta = "βnq", .hop = "t_d(1+q(q−1))", .stored = "βn(1+q(q−1))",
         .names = "q = log₂P"}),
    .optimal            = "α; short ways on rings and tori",
    .source             = "De Sensi et al., NSDI 2024, arXiv 2401.09356",
};
