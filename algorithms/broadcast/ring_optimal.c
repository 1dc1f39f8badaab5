/* SPDX-License-Identifier: MIT */
/* Broadcast, ring-optimal: the first message goes back one node; then both halves of the ring are halved from their
 * outer ends.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       ⌈log₂z⌉ on a ring, Σ⌈log₂zᵢ⌉ on a torus
 *   cost         Σ⌈log₂zᵢ⌉(α + βn) + t_dΣ⌈zᵢ/2⌉, any extents, any root
 *   space        none
 *   derivation   two lines of ⌈z/2⌉ and ⌊z/2⌋ nodes with the words at their ends; the ways of halving a line of x, the
 *                smaller half kept, add up to x-1 (spread.c).  The farthest node of an even ring is z/2 away, so no
 *                broadcast goes less far
 *   source       Peal's own; halving: P. Tvrdík's course, rda
 *
 *   P = 7, root 0
 *     round 1    0 -> 6
 *     round 2    0 -> 2     6 -> 5
 *     round 3    0 -> 1     2 -> 3     5 -> 4                                                               */
#include "../patterns/spread.h"

static void
broadcast_ring_optimal_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct spread spread;

    spread_on_rings(&spread, peal_node_network(me), root, peal_rank(me));
    spread_broadcast(me, a, n, &spread);
}

const struct peal_algorithm broadcast_ring_optimal = {
    .collective    = PEAL_BROADCAST,
    .name          = "ring-optimal",
    .summary       = "halve a ring from both ends of its root: the shortest ways",
    .run.broadcast = broadcast_ring_optimal_run,
    .needs.kinds   = "ring torus",
    .asks_network  = true,
    .cost          = spread_on_rings_closed,
    .posts         = PEAL_POSTS_ONE,
    .texts         = ring_optimal_texts,
    .optimal       = "α where Σ⌈log₂zᵢ⌉ = ⌈log₂P⌉; hops on even rings",
    .source        = "Peal's own, after Tvrdík's recursive doubling",
};
