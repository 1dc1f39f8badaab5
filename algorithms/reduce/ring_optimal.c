/* SPDX-License-Identifier: MIT */
/* Reduce, ring-optimal: the halves of a ring combine towards their outer ends, and the last message goes one node on.
 *
 *   before       node i has n words xᵢ
 *   after        the root has the combination of all; the vectors of the others are unchanged
 *   rounds       ⌈log₂z⌉ on a ring, Σ⌈log₂zᵢ⌉ on a torus
 *   cost         Σ⌈log₂zᵢ⌉(α + βn) + t_dΣ⌈zᵢ/2⌉, any extents, any root
 *   space        2n words at an inner node, n at the root, none at a leaf
 *   needs an operator that commutes
 *   derivation   the broadcast of broadcast/ring_optimal.c backwards
 *   source       Peal's own
 *
 *   P = 7, root 0
 *     round 1    1 -> 0     3 -> 2     4 -> 5
 *     round 2    2 -> 0     5 -> 6
 *     round 3    6 -> 0                                                                                     */
#include "../patterns/spread.h"

static void
reduce_ring_optimal_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct spread spread;

    spread_on_rings(&spread, peal_node_network(me), root, peal_rank(me));
    spread_reduce(me, op, a, n, root, &spread);
}

const struct peal_algorithm reduce_ring_optimal = {
    .collective        = PEAL_REDUCE,
    .name              = "ring-optimal",
    .summary           = "combine along a ring towards both sides of the root: the shortest ways",
    .run.reduce        = reduce_ring_optimal_run,
    .needs.kinds       = "ring torus",
    .asks_network      = true,
    .needs.commutative = true,
    .costs_as          = &broadcast_ring_optimal,
    .texts             = ring_optimal_texts,
    .optimal           = "α where Σ⌈log₂zᵢ⌉ = ⌈log₂P⌉; hops on even rings",
    .differs           = PEAL_DIFFERS(ROOTS),
    .source            = "Peal's own, after Tvrdík's recursive doubling",
};
