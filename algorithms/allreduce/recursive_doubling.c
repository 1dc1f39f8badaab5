/* SPDX-License-Identifier: MIT */
/* All-reduce, recursive-doubling: exchange whole vectors with the number that differs in bit 1, 2, 4, ..
 *
 *   before       node i has n words xᵢ
 *   after        every node has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}
 *   rounds       log₂P, or ⌊log₂P⌋ + 2 if P is not a power of two
 *   cost         those rounds, each α + βn; on a line of 2^q nodes α log₂P + βn(P-1)
 *   space        n words
 *   keeps rank order, for any associative operator
 *   derivation   before the round of mask all of mask numbers have the sum of their group; neighbouring groups stand
 *                for neighbouring ranges of ranks (fold.c).  On a line mask messages cross a middle each way
 *   source       Thakur, Rabenseifner, Gropp 2005; MPICH and Open MPI
 *
 *   P = 5
 *     round 1    0 -> 1                                                          1 2 3 4 stand for 01 2 3 4
 *     round 2    1 -> 2    2 -> 1    3 -> 4    4 -> 3
 *     round 3    1 -> 3    3 -> 1    2 -> 4    4 -> 2
 *     round 4    1 -> 0                                                                                      */
#include "../patterns/fold.h"

static void
allreduce_recursive_doubling_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    struct fold fold = fold_of(peal_size(me), peal_rank(me));
    void *x = peal_scratch(me, n);

    fold_in(me, &fold, op, a, a, n);
    for (int mask = 1; mask < fold.nodes && fold.number >= 0; mask *= 2) {
        int partner = fold.number ^ mask, rank = fold_rank(&fold, partner);

        peal_sendrecv(me, a, n, rank, x, n, rank);
        if (fold.number < partner)
            peal_combine(op, a, x, a, n);
        else
            peal_combine(op, x, a, a, n);
    }
    fold_out(me, &fold, (struct peal_piece){a, n}, (struct peal_piece){a, n});
}

static void
allreduce_recursive_doubling_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);

    fold_closed_round(sum, closed_words(sum));
    for (int mask = 1; mask < fold.nodes; mask *= 2)
        fold_closed_exchange(sum, mask, closed_words(sum));
    fold_closed_round(sum, closed_words(sum));
}

/* On a line h messages share a link, in all P-1. Under store-forward a route meets ⌈3h²/4⌉ (closed_round_load), in all
 * P²/4; on a ring the last exchange goes one way round, h². With P ≠ 2^q numbers j < P-2^q are two ranks apart. */
const struct peal_algorithm allreduce_recursive_doubling = {
    .collective    = PEAL_ALLREDUCE,
    .name          = "recursive-doubling",
    .summary       = "exchange whole vectors at distance 1, 2, 4, ..",
    .run.allreduce = allreduce_recursive_doubling_run,
    .cost          = allreduce_recursive_doubling_cost,
    .texts         = TEXTS(
        {.on = "full hypercube", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βn log₂P", .near = true, .cited = ""},
        {.on = "full", .alpha = "α(⌊log₂P⌋+2)", .beta = "βn(⌊log₂P⌋+2)", .near = true},
        {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βn(P−1)", .hop = "t_d(P−1)", .stored = "βnP²/4"},
        {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βn(P−1)", .hop = "t_d(P−1)",
         .stored = "βn(P²/4+[P > 2]P²/16)"},
        {.on = "line", .alpha = "α(q+2)", .beta = "βn(2^q+1)", .hop = "t_d(2+Σ_{j=0..q−1}(2^j+min(2^j, P−2^q−1)))",
         .names = "q = ⌊log₂P⌋"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βnΣ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βnΣzᵢ²/4"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βnΣ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βnΣ(zᵢ²/4+[zᵢ > 2]zᵢ²/16)"}),
    .optimal       = "α",
    .source        = "Thakur, Rabenseifner, Gropp 2005",
};
