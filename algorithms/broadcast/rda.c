/* SPDX-License-Identifier: MIT */
/* Broadcast, rda: recursive halving of the node range; the half given away is served by its nearest node, the smaller
 * is kept.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       Σ⌈log₂zᵢ⌉ on a mesh or torus of extents zᵢ; ⌈log₂z⌉ on a line or ring
 *   cost         Σ⌈log₂zᵢ⌉(α + βn), any extents, any root; on a line from node s the ways add up to t_d·max(s, z-1-s),
 *                and one more if s is the middle of an odd line
 *   space        none
 *   derivation   the longest range has ⌈z/2^i⌉ nodes after i rounds; its holder keeps ⌊half⌋ and so reaches the nearest
 *                node of the other half in as many hops: in all z-1 from an end.  A source in the middle of an odd line
 *                is in neither smaller half and keeps the greater.  Ranges are disjoint: k = 1
 *   source       P. Tvrdík's course on parallel and distributed programming, broadcast on one-port wormhole networks
 *
 *   P = 7, line, root 0                               P = 7, ring, root 0
 *     round 1    0 -> 3                                 round 1    0 -> 6
 *     round 2    0 -> 1    3 -> 5                       round 2    0 -> 1    6 -> 4
 *     round 3    1 -> 2    3 -> 4    5 -> 6             round 3    1 -> 2    4 -> 3    6 -> 5                */
#include "../patterns/halving.h"

static void
broadcast_rda_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct halving halving;
    int round = 0;

    halving_steps(&halving, peal_node_network(me), root, peal_rank(me), KEEPS_SMALLER);
    for (int i = 0; i < halving.count; i++) {
        const struct halving_step *step = &halving.steps[i];

        if (step->gives) {
            rest(me, step->round - round);               /* until the others are in this round */
            peal_send(me, a, n, step->partner);
        } else {
            peal_recv(me, a, n, step->partner);
        }
        round = step->round + 1;
    }
}

static void
broadcast_rda_cost(struct closed *sum)
{
    halving_closed(sum, KEEPS_SMALLER, false);
}

/* The ways from an end are the halves' sizes, which add up to z-1; from within, max(r, z-1-r), and one more from the
 * middle. */
const struct peal_algorithm broadcast_rda = {
    .collective    = PEAL_BROADCAST,
    .name          = "rda",
    .summary       = "halve the node range, reach the greater half at its nearest node",
    .run.broadcast = broadcast_rda_run,
    .needs.kinds   = "line ring mesh torus",
    .asks_network  = true,
    .cost          = broadcast_rda_cost,
    .posts         = PEAL_POSTS_ONE,
    .texts         = TEXTS(
        {.on = "line", .when = "root at an end", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(P−1)",
         .stored = "βn(P−1)", .cited = ""},
        {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(max(r, P−1−r)+[2r = P−1])",
         .stored = "βn(max(r, P−1−r)+[2r = P−1])", .cited = ""},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d⌈P/2⌉", .stored = "βn⌈P/2⌉"},
        {.on = "mesh", .when = "root at a corner", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βnΣ⌈log₂zᵢ⌉", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βnΣ(zᵢ−1)"},
        {.on = "mesh", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βnΣ⌈log₂zᵢ⌉", .hop = "t_dΣ(max(rᵢ, zᵢ−1−rᵢ)+[2rᵢ = zᵢ−1])",
         .stored = "βnΣ(max(rᵢ, zᵢ−1−rᵢ)+[2rᵢ = zᵢ−1])"},
        {.on = "torus", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βnΣ⌈log₂zᵢ⌉", .hop = "t_dΣ⌈zᵢ/2⌉", .stored = "βnΣ⌈zᵢ/2⌉"}),
    .optimal       = "α where Σ⌈log₂zᵢ⌉ = ⌈log₂P⌉; hops on lines",
    .source        = "Tvrdík, PDP course, one-to-all broadcast in one-port wormhole networks",
};
