/* SPDX-License-Identifier: MIT */
/* All-reduce, reduce-scatter-allgather: the sum of each part travels round the ring to one node, then once more to all.
 *
 *   before       node i has n words xᵢ, cut into P parts
 *   after        every node has the combination of all
 *   rounds       2(P-1)
 *   cost         2(P-1)(α + β⌈n/P⌉), which is 2βn(P-1)/P when P divides n; any P
 *   space        2⌈n/P⌉ words
 *   rank order   is not kept: part i is combined from rank i+1 on, round the end; needs a commutative operator
 *   derivation   reduce-scatter/ring, then allgather/ring, on parts.  In every round all parts are under way at once,
 *                so it takes as long as the longest, ⌈n/P⌉; every node is busy in every round, so rounds align
 *   source       Georgia Tech CS 6220, all-reduce from reduce-scatter and all-gather; Chan et al. 2007
 *
 *   P = 3
 *     round 1    0 -> 1 {2}     1 -> 2 {0}     2 -> 0 {1}
 *     round 2    0 -> 1 {1}     1 -> 2 {2}     2 -> 0 {0}         part i is complete at node i
 *     round 3    0 -> 1 {0}     1 -> 2 {1}     2 -> 0 {2}
 *     round 4    0 -> 1 {2}     1 -> 2 {0}     2 -> 0 {1}                                                   */
#include "../catalog.h"

static void
allreduce_reduce_scatter_allgather_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    struct peal_blocks cut = parts(me, n);
    void *own = block_of(me, a, &cut, peal_rank(me)).data;

    reduce_scatter_ring.run.reduce_scatter(me, op, a, &cut, own);
    allgather_ring.run.allgather(me, own, &cut, a);
}

static void
allreduce_reduce_scatter_allgather_cost(struct closed *sum)
{
    closed_add_ring(sum, closed_words(sum));
    closed_add_ring(sum, closed_words(sum));
}

const struct peal_algorithm allreduce_reduce_scatter_allgather = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "reduce-scatter-allgather",
    .also              = "ring",
    .summary           = "sum each part round the ring to one node, then round to all",
    .run.allreduce     = allreduce_reduce_scatter_allgather_run,
    .needs.commutative = true,
    .cost              = allreduce_reduce_scatter_allgather_cost,
    .texts             = TEXTS(
        {.on = "full ring", .when = "P | n", .alpha = "2α(P−1)", .beta = "2βn(P−1)/P", .near = true, .cited = ""},
        {.on = "full ring", .alpha = "2α(P−1)", .beta = "2β(P−1)⌈n/P⌉", .near = true},
        {.on = "line", .when = "P | n", .alpha = "2α(P−1)", .beta = "2βn(P−1)/P", .hop = "2t_d(P−1)²",
         .stored = "2βn(P−1)²/P"},
        {.on = "line", .alpha = "2α(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "2t_d(P−1)²", .stored = "2β⌈n/P⌉(P−1)²"},
        {.on = "mesh", .when = "P | n", .alpha = "2α(P−1)", .beta = "2βn(P−1)/P", .hop = "2t_d(P−1)Σ(zᵢ−1)",
         .stored = "2β(n/P)(P−1)Σ(zᵢ−1)"},
        {.on = "mesh", .alpha = "2α(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "2t_d(P−1)Σ(zᵢ−1)",
         .stored = "2β⌈n/P⌉(P−1)Σ(zᵢ−1)"},
        {.on = "torus", .when = "P | n", .alpha = "2α(P−1)", .beta = "2βn(P−1)/P", .hop = "2t_d(P−1)Σ[zᵢ > 1]",
         .stored = "2β(n/P)(P−1)Σ[zᵢ > 1]"},
        {.on = "torus", .alpha = "2α(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "2t_d(P−1)Σ[zᵢ > 1]",
         .stored = "2β⌈n/P⌉(P−1)Σ[zᵢ > 1]"},
        {.on = "hypercube", .when = "P | n", .alpha = "2α(P−1)", .beta = "2βn(P−1)/P", .hop = "2t_d(P−1)log₂P",
         .stored = "2β(n/P)(P−1)log₂P"},
        {.on = "hypercube", .alpha = "2α(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "2t_d(P−1)log₂P",
         .stored = "2β⌈n/P⌉(P−1)log₂P"}),
    .optimal           = "β",
    .differs           = PEAL_DIFFERS(SIZES),
    .holds             = 1,
    .source            = "Georgia Tech CS 6220, all-reduce from reduce-scatter and all-gather; Chan et al. 2007",
};
