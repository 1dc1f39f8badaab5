/* SPDX-License-Identifier: MIT */
/* All-reduce, bine: reduce along a tree whose messages go 1, 1, 3, 5, 11, .. ranks in either direction, then broadcast
 * back.
 *
 *   before       node i has n words xᵢ
 *   after        every node has the combination of all
 *   rounds       2 log₂P
 *   cost         2(α + βn) log₂P on full networks, rings and hypercubes, P = 2^q; on a ring 2⌊2P/3⌋ hops in all,
 *                where the binomial tree has 2(P-1)
 *   space        as reduce/bine
 *   rank order   is not kept; needs a commutative operator
 *   derivation   reduce/bine, then broadcast/bine: rank 0 begins the second when it has ended the first, and no other
 *                node can begin earlier
 *   source       De Sensi et al., SC 2025, arXiv 2508.17311
 *
 *   P = 8 (P must be a power of two)
 *     round 1    1 -> 0    2 -> 3    5 -> 4    6 -> 7
 *     round 2    4 -> 3    7 -> 0
 *     round 3    3 -> 0
 *     rounds 4 to 6: the same messages, reversed in direction and in order                                  */
#include "../catalog.h"

static void
allreduce_bine_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    reduce_bine.run.reduce(me, op, a, n, 0);
    broadcast_bine.run.broadcast(me, a, n, 0);
}

static void
allreduce_bine_cost(struct closed *sum)
{
    closed_add_phase(sum, &reduce_bine, sum->situation->words, 0);
    closed_add_phase(sum, &broadcast_bine, sum->situation->words, 0);
}

const struct peal_algorithm allreduce_bine = {
    .collective         = PEAL_ALLREDUCE,
    .name               = "bine",
    .summary            = "reduce and broadcast along a tree with short ways either way round",
    .run.allreduce      = allreduce_bine_run,
    .needs.power_of_two = true,
    .needs.commutative  = true,
    .cost               = allreduce_bine_cost,
    .posts              = PEAL_POSTS_ONE,
    .closed_on          = "full ring hypercube",
    .texts              = TEXTS(
        {.on = "full", .alpha = "2α log₂P", .beta = "2βn log₂P", .near = true},
        {.on = "ring", .alpha = "2α log₂P", .beta = "2βn log₂P", .hop = "2t_d⌊2P/3⌋", .stored = "2βn⌊2P/3⌋"},
        {.on = "hypercube", .alpha = "2α log₂P", .beta = "2βn log₂P"},
        {.when = "P = 2", .alpha = "2α", .beta = "2βn", .near = true}),
    .optimal            = "α within 2; hops on a ring",
    .source             = "De Sensi et al., SC 2025, arXiv 2508.17311",
};
