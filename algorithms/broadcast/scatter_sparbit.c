/* SPDX-License-Identifier: MIT */
/* Broadcast, scatter-sparbit: scatter the P parts of the vector, then gather them everywhere by sparbit, for every P.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       2⌈log₂P⌉
 *   cost         2α⌈log₂P⌉ + 2βn(P-1)/P if P divides n, any P and root, on full networks and hypercubes
 *   space        the parts of a subtree at an inner node of the scatter; 16 bytes a part in the all-gather
 *   derivation   the sum of both phases: all nodes leave the scatter in the same round
 *   source       van de Geijn's broadcast with the all-gather of Loch and Koslovski 2021
 *
 *   P = 3, root 0
 *     round 1    0 -> 2 {2}
 *     round 2    0 -> 1 {1}
 *     round 3    0 -> 2 {0}     1 -> 0 {1}     2 -> 1 {2}
 *     round 4    0 -> 1 {0}     1 -> 2 {1}     2 -> 0 {2}                                                   */
#include "../patterns/binomial.h"

static void
broadcast_scatter_sparbit_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct peal_blocks cut = parts(me, n);
    struct peal_piece own = block_of(me, a, &cut, peal_rank(me));

    scatter_binomial.run.scatter(me, a, &cut, root, own.data);
    allgather_sparbit.run.allgather(me, own.data, &cut, a);
}

static void
broadcast_scatter_sparbit_cost(struct closed *sum)
{
    size_t nodes = (size_t)sum->situation->nodes;

    closed_bundles(sum);
    if (sum->situation->words % nodes != 0)
        sum->known = false;                               /* the parts of a message are not derived */
    binomial_closed(sum, CARRIES_PARTS);
    closed_add_phase(sum, &allgather_sparbit, sum->situation->words / nodes, 0);
}

/* No message of the scatter's round of mask h has more than h parts, nor one of the all-gather's more than
 * ⌈(P-h)/2h⌉. */
static bool
at_most(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum = closed_of(situation, PEAL_POSTS_EXCHANGE);
    int64_t nodes = situation->nodes, longest;

    closed_bundles(&sum);
    longest = closed_words(&sum) / nodes + (closed_words(&sum) % nodes != 0);
    for (int h = 1; h < situation->nodes; h *= 2) {
        closed_add_full(&sum, 1, closed_product(&sum, longest, h));
        closed_add_full(&sum, 1, closed_product(&sum, longest, (nodes - h - 1) / (2 * h) + 1));
    }
    return closed_end(&sum, cost);
}

/* scatter/binomial and all-gather/sparbit with n/P words a block. */
const struct peal_algorithm broadcast_scatter_sparbit = {
    .collective    = PEAL_BROADCAST,
    .name          = "scatter-sparbit",
    .summary       = "scatter the vector's parts, then gather them by sparbit",
    .run.broadcast = broadcast_scatter_sparbit_run,
    .cost          = broadcast_scatter_sparbit_cost,
    .at_most       = at_most,
    .texts         = TEXTS(
        {.on = "full", .alpha = "2α⌈log₂P⌉", .beta = "2βn(P−1)/P", .near = true},
        {.on = "hypercube", .when = "root 0", .alpha = "2αq", .beta = "2βn(P−1)/P", .hop = "t_dq(q+3)/2",
         .stored = "βnq", .names = "q = log₂P"},
        {.on = "hypercube", .alpha = "2α log₂P", .beta = "2βn(P−1)/P"},
        {.on = "line", .when = "root 0, P = 2^q", .alpha = "2α log₂P", .beta = "β(n/P)(P−1+(P/2)log₂P)",
         .hop = "t_dP log₂P", .stored = "β(n/P)((P²−1)/3+P(4P log₂P−5P+6)/8)"},
        {.on = "line", .when = "P = 2^q", .alpha = "2α log₂P", .beta = "β(n/P)(P−1+(P/2)log₂P)",
         .hop = "t_d(P log₂P−2r+P popcount(r))"},
        {.on = "ring", .when = "P = 2^q", .alpha = "2α log₂P", .beta = "β(n/P)(P−1+(P/2)log₂P)", .hop = "2t_d(P−1)",
         .stored = "β(n/P)((P²−1)/3+P(P−1)/2)"},
        {.on = "line", .when = "root 0", .alpha = "2αq",
         .beta = "β(n/P)(P−1+Σ_{j=0..q−1}⌈(P−2^j)/2^(j+1)⌉min(2^j, P−2^j))", .hop = "t_d(P(q−1)+2^q)",
         .names = "q = ⌈log₂P⌉"},
        {.on = "line", .alpha = "2αq", .beta = "β(n/P)(P−1+Σ_{j=0..q−1}⌈(P−2^j)/2^(j+1)⌉min(2^j, P−2^j))",
         .names = "q = ⌈log₂P⌉"},
        {.on = "ring", .alpha = "2αq", .beta = "β(n/P)(P−1+Σ_{j=0..q−1}⌈(P−2^j)/2^(j+1)⌉min(2^j, P−2^j))",
         .hop = "2t_d(P−1)", .names = "q = ⌈log₂P⌉"},
        {.on = "mesh", .when = "root 0, zᵢ = 2^qᵢ", .alpha = "2α log₂P", .beta = "β(n/P)(P−1+(P/2)Σ(log₂zᵢ)/sᵢ)",
         .hop = "t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)log₂sᵢ)"},
        {.on = "torus", .when = "root 0, zᵢ = 2^qᵢ", .alpha = "2α log₂P", .beta = "β(n/P)(P−1+(P/2)Σ(log₂zᵢ)/sᵢ)",
         .hop = "t_dΣ(2(zᵢ−1)+log₂sᵢ)"},
        {.on = "hypercube", .alpha = "2αq", .beta = "2βn(P−1)/P",
         .hop = "t_d(q(q+3)/2+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))",
         .stored = "β(n/P)(Pq+Σ_{j=0..q−1}2^j(q−1−j)(⌊r/2^j⌋ mod 2))", .names = "q = log₂P"}),
    .optimal       = "α, β within 2",
    .lists         = 6,
    .source        = "van de Geijn; Loch and Koslovski 2021",
};
