/* SPDX-License-Identifier: MIT */
/* All-reduce, circulant: reduce-scatter and all-gather on the circulant graph.
 *
 *   before       node i has n words xᵢ, cut into P parts
 *   after        every node has the combination of all
 *   rounds       2⌈log₂P⌉, for any P
 *   cost         2α⌈log₂P⌉ + 2βn(P-1)/P if P divides n, any P
 *   space        2n words
 *   rank order   is not kept; needs a commutative operator
 *   derivation   reduce-scatter/circulant, then all-gather/circulant: every node is busy in every round.  Of c parts in
 *                a row min(c, n mod P) are longer at the most
 *   source       Träff, arXiv 2410.14234
 *
 *   P = 5: skips 1 2 3 5
 *     round 1    r -> r+3  the parts of r+3 r+4
 *     round 2    r -> r+2  the part of r+2
 *     round 3    r -> r+1  the part of r+1
 *     round 4    r -> r-1  the part of r
 *     round 5    r -> r-2  the part of r
 *     round 6    r -> r-3  the parts of r r+1                                                                */
#include "../patterns/circulant.h"

static void
allreduce_circulant_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    struct peal_blocks cut = parts(me, n);
    void *own = block_of(me, a, &cut, peal_rank(me)).data;

    reduce_scatter_circulant.run.reduce_scatter(me, op, a, &cut, own);
    allgather_circulant.run.allgather(me, own, &cut, a);
}

static void
allreduce_circulant_cost(struct closed *sum)
{
    int P = sum->situation->nodes, skips[CIRCULANT_SKIPS], q = circulant_skips(P, skips);
    int64_t longer;

    closed_bundles(sum);
    longer = closed_words(sum) % P;
    if (longer > 0)
        closed_uneven(sum);
    for (int k = 0; k < q && sum->known; k++) {
        int64_t count = skips[k + 1] - skips[k],
                words = closed_words(sum) / P * count + (longer < count ? longer : count);

        closed_add_shift(sum, skips[k], words);
        closed_add_shift(sum, P - skips[k], words);
    }
}

/* Twice all-gather/circulant (circulant.c) with n/P words a block. */
const struct peal_algorithm allreduce_circulant = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "circulant",
    .summary           = "reduce-scatter and all-gather in ⌈log₂P⌉ rounds each, for any P",
    .run.allreduce     = allreduce_circulant_run,
    .needs.commutative = true,
    .cost              = allreduce_circulant_cost,
    .texts             = TEXTS(
        {.on = "full", .when = "P | n", .alpha = "2α⌈log₂P⌉", .beta = "2βn(P−1)/P", .near = true},
        {.on = "full", .alpha = "2αq", .beta = "2β(⌊n/P⌋(P−1)+Σ_{j=0..q−1}min(⌊⌈P/2^j⌉/2⌋, (n mod P)))", .near = true,
         .names = "q = ⌈log₂P⌉"},
        {.on = "hypercube", .when = "P | n", .alpha = "2αq", .beta = "2βn(P−1)/P", .hop = "t_dq(q+1)",
         .stored = "2β(n/P)(2P−q−2)", .names = "q = log₂P"},
        {.on = "hypercube", .alpha = "2αq", .beta = "2β(⌊n/P⌋(P−1)+Σ_{j=0..q−1}min(2^j, (n mod P)))",
         .hop = "t_dq(q+1)", .names = "q = log₂P"},
        {.on = "line", .when = "P = 2^q, P | n", .alpha = "2α log₂P", .beta = "2β(n/P)(P²−1)/3",
         .hop = "2t_d(P log₂P−P+1)", .stored = "2β(n/P)(13P³−28P+36)/84"},
        {.on = "ring", .when = "P = 2^q, P | n", .alpha = "2α log₂P", .beta = "2β(n/P)(P²−1)/3", .hop = "2t_d(P−1)",
         .stored = "2β(n/P)(P³−1)/7"},
        {.on = "line", .when = "P | n", .alpha = "2αq", .beta = "2β(n/P)(⌊P/2⌋²+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)",
         .hop = "2t_d((P−1)(q−1)+popcount(P−1)+(P mod 2))", .names = "q = ⌈log₂P⌉"},
        {.on = "ring", .when = "P | n", .alpha = "2αq", .beta = "2β(n/P)(⌊P/2⌋²+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)",
         .hop = "2t_d(P−1+q−popcount(P−1)−(P mod 2))", .names = "q = ⌈log₂P⌉"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ, P | n", .alpha = "2α log₂P", .beta = "2β(n/P)Σsᵢ(zᵢ²−1)/3",
         .hop = "2t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)(log₂sᵢ−1))"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ, P | n", .alpha = "2α log₂P", .beta = "2β(n/P)Σsᵢ(zᵢ²−1)/3",
         .hop = "2t_dΣ(zᵢ−1+log₂sᵢ)"}),
    .optimal           = "β; α within 2",
    .differs           = PEAL_DIFFERS(SIZES),
    .holds             = 4,
    .source            = "Träff, arXiv 2410.14234",
};
