/* SPDX-License-Identifier: MIT */
/* Scatter, rda-smaller: as rda, but the smaller half is kept: shorter ways, longer messages.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       Σ⌈log₂zᵢ⌉ on a mesh or torus of extents zᵢ; ⌈log₂z⌉ on a line or ring
 *   cost         from the end of a line α⌈log₂z⌉ + t_d(z-1) + βm(z-1+f(z)), f(z) the zeros of z-1 in binary; elsewhere
 *                by the recursion of halving.c
 *   space        the blocks of its part, none at a leaf
 *   derivation   the longest range has ⌈z/2^i⌉ nodes after i rounds; it gives ⌈half⌉ away and the nearest of them is
 *                ⌊half⌋ off: against rda, an odd cut costs a block more and a hop less.  A source in the middle of an
 *                odd line is in neither smaller half and keeps the greater
 *   source       P. Tvrdík's course on parallel and distributed programming, option (a) of combining one-to-all scatter
 *
 *   P = 7, line, root 0
 *     round 1    0 -> 3 {3 4 5 6}
 *     round 2    0 -> 1 {1 2}     3 -> 5 {5 6}
 *     round 3    1 -> 2           3 -> 4    5 -> 6                                                           */
#include "../patterns/halving.h"

static void
scatter_rda_smaller_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    halving_scatter(me, KEEPS_SMALLER, in, blocks, root, out);
}

static void
scatter_rda_smaller_cost(struct closed *sum)
{
    closed_bundles(sum);
    halving_closed(sum, KEEPS_SMALLER, true);
}

/* The sums are those of rda (halving.c), with blocks and hops exchanged. */
const struct peal_algorithm scatter_rda_smaller = {
    .collective   = PEAL_SCATTER,
    .name         = "rda-smaller",
    .summary      = "halve the node range, give the greater half to its nearest node",
    .run.scatter  = scatter_rda_smaller_run,
    .needs.kinds  = "line ring mesh torus",
    .asks_network = true,
    .cost         = scatter_rda_smaller_cost,
    .posts        = PEAL_POSTS_ONE,
    .texts        = TEXTS(
        {.on = "line", .when = "root at an end, P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_d(P−1)",
         .stored = "βm(P²−1)/3"},
        {.on = "line", .when = "root at an end", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1+⌈log₂P⌉−popcount(P−1))",
         .hop = "t_d(P−1)"},
        {.on = "line", .when = "root at an end", .alpha = "αq", .beta = "βm(P−1+⌈log₂P⌉−popcount(P−1))",
         .stored = "βmΣ_{j=0..q−1}⌊⌈P/2^j⌉²/4⌋", .names = "q = ⌈log₂P⌉"},
        {.on = "line", .when = "P even", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1+⌈log₂P⌉−popcount(P−1))",
         .hop = "t_d max(r, P−1−r)"},
        {.on = "line", .when = "P even", .alpha = "αq", .beta = "βm(P−1+⌈log₂P⌉−popcount(P−1))",
         .stored = "βm((P/2)(max(r, P−1−r)−P/2+1)+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)", .names = "q = ⌈log₂P⌉"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βm(2⌈P/2⌉−2+⌈log₂P⌉−popcount(⌈P/2⌉−1))", .hop = "t_d⌈P/2⌉"},
        {.on = "ring", .alpha = "αq", .beta = "βm(2⌈P/2⌉−2+⌈log₂P⌉−popcount(⌈P/2⌉−1))",
         .stored = "βm(⌈P/2⌉+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)", .names = "q = ⌈log₂P⌉"},
        {.on = "mesh", .when = "root at a corner, zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P−1)",
         .hop = "t_dΣ(zᵢ−1)", .stored = "βmΣsᵢ(zᵢ²−1)/3"},
        {.on = "mesh", .when = "root at a corner", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βmΣsᵢ(zᵢ−1+⌈log₂zᵢ⌉−popcount(zᵢ−1))",
         .hop = "t_dΣ(zᵢ−1)"},
        {.on = "mesh", .when = "root at a corner", .alpha = "αΣqᵢ", .beta = "βmΣsᵢ(zᵢ−1+⌈log₂zᵢ⌉−popcount(zᵢ−1))",
         .stored = "βmΣsᵢΣ_{j=0..qᵢ−1}⌊⌈zᵢ/2^j⌉²/4⌋", .names = "qᵢ = ⌈log₂zᵢ⌉"},
        {.on = "mesh", .when = "zᵢ even", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βmΣsᵢ(zᵢ−1+⌈log₂zᵢ⌉−popcount(zᵢ−1))",
         .hop = "t_dΣ max(rᵢ, zᵢ−1−rᵢ)"},
        {.on = "mesh", .when = "zᵢ even", .alpha = "αΣqᵢ", .beta = "βmΣsᵢ(zᵢ−1+⌈log₂zᵢ⌉−popcount(zᵢ−1))",
         .stored = "βmΣsᵢ((zᵢ/2)(max(rᵢ, zᵢ−1−rᵢ)−zᵢ/2+1)+Σ_{j=1..qᵢ−1}⌊⌈zᵢ/2^j⌉²/4⌋)", .names = "qᵢ = ⌈log₂zᵢ⌉"},
        {.on = "torus", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βmΣsᵢ(2⌈zᵢ/2⌉−2+⌈log₂zᵢ⌉−popcount(⌈zᵢ/2⌉−1))",
         .hop = "t_dΣ⌈zᵢ/2⌉"},
        {.on = "torus", .alpha = "αΣqᵢ", .beta = "βmΣsᵢ(2⌈zᵢ/2⌉−2+⌈log₂zᵢ⌉−popcount(⌈zᵢ/2⌉−1))",
         .stored = "βmΣsᵢ(⌈zᵢ/2⌉+Σ_{j=1..qᵢ−1}⌊⌈zᵢ/2^j⌉²/4⌋)", .names = "qᵢ = ⌈log₂zᵢ⌉"}),
    .optimal      = NULL,
    .source       = "Tvrdík, PDP course, combining one-to-all scatter, option (a)",
};
