/* SPDX-License-Identifier: MIT */
/* Broadcast, bine: a binomial tree whose messages alternate between the two directions of a ring, so that they go fewer
 * hops.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       log₂P
 *   cost         log₂P(α + βn) + t_d⌊2P/3⌋ on a ring; log₂P(α + βn) on full networks and hypercubes; P = 2^q
 *   space        none
 *   derivation   the distances are |1 - (-2)^(s+1)|/3 for s = q-1 .. 0, 1 1 3 5 11 .. from the last round back; on a
 *                ring messages share no link (spread.c).  The binomial tree, far-first, goes P/2 + P/4 + .. + 1 = P-1
 *                where it cannot go the other way
 *   source       De Sensi et al., SC 2025, arXiv 2508.17311; the distances are those of swing, NSDI 2024, arXiv
 *                2401.09356
 *
 *   P = 8, root 0 (P must be a power of two)
 *     round 1    0 -> 3
 *     round 2    0 -> 7     3 -> 4
 *     round 3    0 -> 1     3 -> 2     4 -> 5     7 -> 6                                                    */
#include "../patterns/spread.h"

static void
broadcast_bine_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct spread spread;

    spread_bine(&spread, peal_size(me), root, peal_rank(me));
    spread_broadcast(me, a, n, &spread);
}

const struct peal_algorithm broadcast_bine = {
    .collective         = PEAL_BROADCAST,
    .name               = "bine",
    .summary            = "a binomial tree that goes both ways round, two thirds as far",
    .run.broadcast      = broadcast_bine_run,
    .needs.power_of_two = true,
    .closed_on          = "full ring hypercube",
    .cost               = spread_bine_closed,
    .posts              = PEAL_POSTS_ONE,
    .texts              = bine_vector_texts,
    .optimal            = "α",
    .source             = "De Sensi et al. 2025, arXiv 2508.17311",
};
