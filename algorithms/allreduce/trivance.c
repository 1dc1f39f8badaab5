/* SPDX-License-Identifier: MIT */
/* All-reduce, trivance: with two ports, reduce-scatter and all-gather over windows of ranks that grow on both sides.
 *
 *   before       node i has n words xᵢ, cut into P parts
 *   after        every node has the combination of all
 *   rounds       2⌈log₃P⌉ with two ports
 *   cost         2α⌈log₃P⌉ + 2β⌈(P-1)/2⌉n/P on a full network, any P that divides n
 *   space        3n words
 *   rank order   is not kept; needs a commutative operator
 *   derivation   reduce-scatter/trivance, then all-gather/trivance: every node is busy in every round
 *   source       Jürß, Addanki, Schmid 2026, arXiv 2602.17254
 *
 *   P = 7
 *     round 1    r -> r+2 {r+2, r+3}    r -> r-2 {r-3, r-2}
 *     round 2    r -> r+1 {r+1}         r -> r-1 {r-1}
 *     rounds 3 and 4 as all-gather/trivance                                                                  */
#include "../patterns/trivance.h"

static void
allreduce_trivance_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    struct peal_blocks cut = parts(me, n);
    void *own = block_of(me, a, &cut, peal_rank(me)).data;

    reduce_scatter_trivance.run.reduce_scatter(me, op, a, &cut, own);
    allgather_trivance.run.allgather(me, own, &cut, a);
}

static void
allreduce_trivance_cost(struct closed *sum)
{
    int64_t P = sum->situation->nodes;

    if (sum->situation->nodes > 2 && (sum->situation->half_duplex || closed_ports(sum->situation) < 2))
        sum->known = false;
    closed_bundles(sum);
    if (closed_words(sum) % P != 0)
        sum->known = false;                          /* the differences of the messages of a step are not derived */
    trivance_closed(sum, closed_words(sum) / P);
    trivance_closed(sum, closed_words(sum) / P);
}

const struct peal_algorithm allreduce_trivance = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "trivance",
    .summary           = "with two ports, reduce-scatter and all-gather over windows on both sides",
    .run.allreduce     = allreduce_trivance_run,
    .needs.ports       = 2,
    .needs.commutative = true,
    .cost              = allreduce_trivance_cost,
    .closed_on         = "",
    .texts             = TEXTS(
        {.on = "full", .alpha = "2α⌈log₃P⌉", .beta = "2β(n/P)⌈(P−1)/2⌉", .near = true},
        {.on = "ring", .when = "P = 3^q", .alpha = "2α log₃P", .beta = "β(n/P)(P²−1)/4", .hop = "t_d(P−1)",
         .stored = "β(n/P)(P³−1)/13"},
        {.on = "ring", .alpha = "2α⌈log₃P⌉", .beta = "2β(n/P)((w²−1)/8+⌈(P−w)/2⌉²)", .hop = "2t_d⌈(P−1)/2⌉",
         .stored = "2β(n/P)((w³−1)/26+⌈(P−w)/2⌉³)", .names = "w = 3^(⌈log₃P⌉−1)"}),
    .optimal           = "β with two ports",
    .differs           = PEAL_DIFFERS(SIZES),
    .source            = "Jürß, Addanki, Schmid 2026, arXiv 2602.17254",
};
