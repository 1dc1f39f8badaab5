/* SPDX-License-Identifier: MIT */
/* Broadcast, scatter-doubling: scatter the P parts of the vector, then gather them everywhere by recursive doubling.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       2log₂P, P = 2^q
 *   cost         2α log₂P + 2βn(P-1)/P if P divides n, on full networks and hypercubes, any root; on a line from its
 *                end βn(P-1 + (P²-1)/3)/P
 *   space        the parts of a subtree at an inner node of the scatter
 *   derivation   the sum of both phases.  Parts of different lengths, root 0: the root's messages are all parts but its
 *                own, and in the round of mask the parts 0 .. mask-1 are the longest message
 *   source       Barnett, Shuler, van de Geijn et al. 1994; MPICH's scatter_recursive_doubling_allgather
 *
 *   P = 4, root 0 (P must be a power of two)
 *     round 1    0 -> 2 {2 3}
 *     round 2    0 -> 1 {1}          2 -> 3 {3}
 *     round 3    0 <-> 1 {0} {1}     2 <-> 3 {2} {3}
 *     round 4    0 <-> 2 {0 1} {2 3}     1 <-> 3 {0 1} {2 3}                                                */
#include "../patterns/binomial.h"

static void
broadcast_scatter_doubling_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct peal_blocks cut = parts(me, n);
    struct peal_piece own = block_of(me, a, &cut, peal_rank(me));

    scatter_binomial.run.scatter(me, a, &cut, root, own.data);
    allgather_recursive_doubling.run.allgather(me, own.data, &cut, a);
}

static void
broadcast_scatter_doubling_cost(struct closed *sum)
{
    bool uneven = sum->situation->words % (size_t)sum->situation->nodes != 0;

    closed_bundles(sum);
    if (uneven && sum->situation->root != 0)
        sum->known = false;                               /* the places of the longer parts are not derived */
    binomial_closed(sum, CARRIES_PARTS);
    if (uneven)
        closed_uneven(sum);
    for (int mask = 1; mask < sum->situation->nodes; mask *= 2)
        closed_add_xor(sum, mask, (int64_t)peal_block_begin((size_t)closed_words(sum), sum->situation->nodes, mask));
}

/* scatter/binomial and all-gather/recursive-doubling with n/P words a block. */
const struct peal_algorithm broadcast_scatter_doubling = {
    .collective         = PEAL_BROADCAST,
    .name               = "scatter-doubling",
    .summary            = "scatter the vector's parts, then gather them by recursive doubling",
    .run.broadcast      = broadcast_scatter_doubling_run,
    .needs.power_of_two = true,
    .cost               = broadcast_scatter_doubling_cost,
    .texts              = TEXTS(
        {.on = "full", .when = "P | n", .alpha = "2α log₂P", .beta = "2βn(P−1)/P", .near = true, .cited = ""},
        {.on = "hypercube", .when = "root 0, P | n", .alpha = "2α log₂P", .beta = "2βn(P−1)/P", .near = true,
         .cited = ""},
        {.on = "full hypercube", .when = "root 0", .alpha = "2αq",
         .beta = "β(n−⌈n/P⌉+⌊n/P⌋(P−1)+Σ_{j=0..q−1}min(2^j, (n mod P)))", .near = true, .names = "q = log₂P"},
        {.on = "hypercube", .when = "P | n", .alpha = "2α log₂P", .beta = "2βn(P−1)/P", .cited = ""},
        {.on = "line", .when = "root 0, P | n", .alpha = "2α log₂P", .beta = "β(n/P)(P−1)(P+4)/3", .hop = "2t_d(P−1)",
         .stored = "β(n/P)((P²−1)/3+(3P³+4)/28)"},
        {.on = "line", .when = "P | n", .alpha = "2α log₂P", .beta = "β(n/P)(P−1)(P+4)/3",
         .hop = "t_d(2(P−1)−2r+P popcount(r))"},
        {.on = "ring", .when = "P | n", .alpha = "2α log₂P", .beta = "β(n/P)(P−1)(P+4)/3", .hop = "2t_d(P−1)",
         .stored = "β(n/P)((P²−1)/3+(3P³+4)/28+[P > 2]P³/32)"},
        {.on = "mesh", .when = "root 0, P | n", .alpha = "2α log₂P", .beta = "β(n/P)(P−1+Σsᵢ(zᵢ²−1)/3)",
         .hop = "2t_dΣ(zᵢ−1)", .stored = "β(n/P)Σsᵢ((zᵢ²−1)/3+(3zᵢ³+4)/28)"},
        {.on = "torus", .when = "root 0, P | n", .alpha = "2α log₂P", .beta = "β(n/P)(P−1+Σsᵢ(zᵢ²−1)/3)",
         .hop = "2t_dΣ(zᵢ−1)", .stored = "β(n/P)Σsᵢ((zᵢ²−1)/3+(3zᵢ³+4)/28+[zᵢ > 2]zᵢ³/32)"},
        {.on = "hypercube", .when = "P | n", .alpha = "2αq", .beta = "2βn(P−1)/P",
         .hop = "t_d(2q+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))",
         .stored = "β(n/P)(2(P−1)+Σ_{j=0..q−1}2^j(q−1−j)(⌊r/2^j⌋ mod 2))", .names = "q = log₂P"}),
    .optimal            = "α, β within 2",
    .source             = "Barnett et al. 1994; MPICH, scatter_recursive_doubling_allgather",
};
