/* SPDX-License-Identifier: MIT */
/* Reduce, bine: a binomial tree whose messages alternate between the two directions of a ring, so that they go fewer
 * hops.
 *
 *   before       node i has n words xᵢ
 *   after        the root has the combination of all; the vectors of the others are unchanged
 *   rounds       log₂P
 *   cost         log₂P(α + βn) + t_d⌊2P/3⌋ on a ring; log₂P(α + βn) on full networks and hypercubes; P = 2^q
 *   space        2n words at an inner node, n at the root, none at a leaf
 *   needs an operator that commutes
 *   derivation   the broadcast of broadcast/bine.c backwards
 *   source       De Sensi et al., SC 2025, arXiv 2508.17311
 *
 *   P = 8, root 0 (P must be a power of two)
 *     round 1    1 -> 0     2 -> 3     5 -> 4     6 -> 7
 *     round 2    4 -> 3     7 -> 0
 *     round 3    3 -> 0                                                                                     */
#include "../patterns/spread.h"

static void
reduce_bine_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct spread spread;

    spread_bine(&spread, peal_size(me), root, peal_rank(me));
    spread_reduce(me, op, a, n, root, &spread);
}

const struct peal_algorithm reduce_bine = {
    .collective         = PEAL_REDUCE,
    .name               = "bine",
    .summary            = "a binomial tree that goes both ways round, two thirds as far",
    .run.reduce         = reduce_bine_run,
    .needs.power_of_two = true,
    .closed_on          = "full ring hypercube",
    .needs.commutative  = true,
    .costs_as           = &broadcast_bine,
    .texts              = bine_vector_texts,
    .optimal            = "α",
    .differs            = PEAL_DIFFERS(ROOTS),
    .source             = "De Sensi et al. 2025, arXiv 2508.17311",
};
