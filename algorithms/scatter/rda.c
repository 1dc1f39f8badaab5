/* SPDX-License-Identifier: MIT */
/* Scatter, rda: recursive halving of the node range; the half given away goes to its nearest node, the greater is kept.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       Σ⌈log₂zᵢ⌉ on a mesh or torus of extents zᵢ; ⌈log₂z⌉ on a line or ring
 *   cost         αΣ⌈log₂zᵢ⌉ + βm(P-1), any extents, any root; from the end of a line t_d(z-1+f(z)), f(z) the zeros of
 *                z-1 in binary
 *   space        the blocks of its part, none at a leaf
 *   derivation   the source's range has ⌈z/2^i⌉ nodes after i rounds, the most of any, and gives ⌊half⌋ away: in all
 *                z-1.  Dimension after dimension that is (z₁-1)·z₂z₃.. + (z₂-1)·z₃.. + .. = P-1.  Ranges are disjoint:
 *                k = 1
 *   source       P. Tvrdík's course on parallel and distributed programming, combining one-to-all scatter (recursive
 *                doubling on wormhole lines, meshes and tori)
 *
 *   P = 7, line, root 0                               P = 7, ring, root 0
 *     round 1    0 -> 4 {4 5 6}                         round 1    0 -> 6 {4 5 6}
 *     round 2    0 -> 2 {2 3}     4 -> 6 {6}            round 2    0 -> 2 {2 3}     6 -> 4 {4}
 *     round 3    0 -> 1  2 -> 3   4 -> 5                round 3    0 -> 1  2 -> 3   6 -> 5                   */
#include "../patterns/halving.h"

static void
scatter_rda_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    halving_scatter(me, KEEPS_GREATER, in, blocks, root, out);
}

static void
scatter_rda_cost(struct closed *sum)
{
    if (sum->situation->nodes > 3)
        closed_bundles(sum);
    halving_closed(sum, KEEPS_GREATER, true);
}

const struct peal_algorithm scatter_rda = {
    .collective   = PEAL_SCATTER,
    .name         = "rda",
    .summary      = "halve the node range, give the smaller half to its nearest node",
    .run.scatter  = scatter_rda_run,
    .needs.kinds  = "line ring mesh torus",
    .asks_network = true,
    .cost         = scatter_rda_cost,
    .posts        = PEAL_POSTS_ONE,
    .texts        = rda_greater_texts,
    .optimal      = "β; α where Σ⌈log₂zᵢ⌉ = ⌈log₂P⌉",
    .source       = "Tvrdík, PDP course, combining one-to-all scatter by recursive doubling",
};
