/* SPDX-License-Identifier: MIT */
/* All-reduce, Rabenseifner: exchange halves with the nearest node, quarters with the next, ..; then the same in
 * reverse.
 *
 *   before       node i has n words xᵢ
 *   after        every node has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}
 *   rounds       2 log₂P, or 2⌊log₂P⌋ + 2 if P is not a power of two
 *   cost         2α log₂P + 2βn(P-1)/P if P = 2^q divides n; else with P' = 2^⌊log₂P⌋ nodes, and 2(α + βn) to fold; on
 *                a line of 2^q nodes the words are n log₂P
 *   space        n words
 *   keeps rank order, for any associative operator
 *   derivation   a number keeps the lower half of its interval of pieces if it is lower than its partner, so pieces
 *                stay neighbours; of n words in P' pieces the first interval is the longest.  On the way back, each
 *                exchanges its interval with the one it was cut from.  On a line mask messages of P'/(2·mask) pieces
 *                cross a middle
 *   source       Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005; MPICH and Open MPI
 *
 *   P = 5, pieces 0 .. 3
 *     round 1    0 -> 1 {0..3}                                                   1 2 3 4 stand for 01 2 3 4
 *     round 2    1 -> 2 {2 3}    2 -> 1 {0 1}    3 -> 4 {2 3}    4 -> 3 {0 1}
 *     round 3    1 -> 3 {1}      3 -> 1 {0}      2 -> 4 {3}      4 -> 2 {2}
 *     round 4    1 -> 3 {0}      3 -> 1 {1}      2 -> 4 {2}      4 -> 2 {3}
 *     round 5    1 -> 2 {0 1}    2 -> 1 {2 3}    3 -> 4 {0 1}    4 -> 3 {2 3}
 *     round 6    1 -> 0 {0..3}                                                                               */
#include "../patterns/fold.h"

/* n words in as many pieces as there are numbers. */
static struct peal_blocks
pieces_of(const struct fold *fold, size_t n)
{
    return (struct peal_blocks){.words = n / (size_t)fold->nodes, .longer = n % (size_t)fold->nodes};
}

static void
allreduce_rabenseifner_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    struct fold fold = fold_of(peal_size(me), peal_rank(me));
    struct peal_blocks cut = pieces_of(&fold, n);
    void *x = peal_scratch(me, n);
    int l = 0;                                           /* I keep the pieces l .. */

    fold_in(me, &fold, op, a, a, n);
    for (int mask = 1; mask < fold.nodes && fold.number >= 0; mask *= 2) {
        int partner = fold.number ^ mask, rank = fold_rank(&fold, partner), half = fold.nodes / (2 * mask);
        bool lower = fold.number < partner;
        struct peal_piece mine = blocks_of(me, a, &cut, lower ? l : l + half, lower ? l + half : l + 2 * half);
        struct peal_piece theirs = blocks_of(me, a, &cut, lower ? l + half : l, lower ? l + 2 * half : l + half);

        exchange(me, theirs, rank, (struct peal_piece){x, mine.words}, rank);
        if (lower)
            peal_combine(op, mine.data, x, mine.data, mine.words);
        else
            peal_combine(op, x, mine.data, mine.data, mine.words);
        l += lower ? 0 : half;
    }
    for (int mask = fold.nodes / 2; mask >= 1 && fold.number >= 0; mask /= 2) {
        int partner = fold.number ^ mask, rank = fold_rank(&fold, partner), half = fold.nodes / (2 * mask);
        int other = fold.number < partner ? l + half : l - half;

        exchange(me, blocks_of(me, a, &cut, l, l + half), rank, blocks_of(me, a, &cut, other, other + half), rank);
        l = l < other ? l : other;
    }
    fold_out(me, &fold, (struct peal_piece){a, n}, (struct peal_piece){a, n});
}

static void
allreduce_rabenseifner_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);
    struct peal_blocks cut = pieces_of(&fold, sum->situation->words);

    fold_closed_round(sum, closed_words(sum));
    if (cut.longer > 0)
        closed_uneven(sum);
    for (int twice = 0; twice < 2 && sum->known; twice++)
        for (int mask = 1; mask < fold.nodes; mask *= 2)
            fold_closed_exchange(sum, mask, (int64_t)peal_blocks_begin(&cut, fold.nodes / (2 * mask)));
    fold_closed_round(sum, closed_words(sum));
}

/* Twice all-gather/distance-halving, with n/P words a block; N numbers of which (n mod N) pieces are longer. */
const struct peal_algorithm allreduce_rabenseifner = {
    .collective    = PEAL_ALLREDUCE,
    .name          = "rabenseifner",
    .summary       = "exchange halves with the nearest, quarters, ..; then all of it backwards",
    .run.allreduce = allreduce_rabenseifner_run,
    .cost          = allreduce_rabenseifner_cost,
    .texts         = TEXTS(
        {.on = "full hypercube", .when = "P = 2^q, P | n", .alpha = "2α log₂P", .beta = "2βn(P−1)/P", .near = true,
         .cited = ""},
        {.on = "full hypercube", .when = "P = 2^q", .alpha = "2αq",
         .beta = "2β(⌊n/P⌋(P−1)+Σ_{j=0..q−1}min(2^j, (n mod P)))", .near = true, .names = "q = log₂P"},
        {.on = "full", .alpha = "2α(q+1)", .beta = "2β(n+⌊n/N⌋(N−1)+Σ_{j=0..q−1}min(2^j, (n mod N)))", .near = true,
         .names = "q = ⌊log₂P⌋, N = 2^q"},
        {.on = "line", .when = "P = 2^q, P | n", .alpha = "2α log₂P", .beta = "βn log₂P", .hop = "2t_d(P−1)",
         .stored = "βn(3P−2)/4"},
        {.on = "ring", .when = "P = 2^q, P | n", .alpha = "2α log₂P", .beta = "βn log₂P", .hop = "2t_d(P−1)",
         .stored = "βn((3P−2)/4+[P > 2]P/8)"},
        {.on = "line", .when = "P | n", .alpha = "2α(q+1)", .beta = "βn(q+2)",
         .hop = "2t_d(1+Σ_{j=0..q−1}(2^j+min(2^j, P−2^q−1)))", .names = "q = ⌊log₂P⌋"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ, P | n", .alpha = "2α log₂P", .beta = "βnΣ(log₂zᵢ)/sᵢ", .hop = "2t_dΣ(zᵢ−1)",
         .stored = "βnΣ(3zᵢ−2)/(4sᵢ)"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ, P | n", .alpha = "2α log₂P", .beta = "βnΣ(log₂zᵢ)/sᵢ", .hop = "2t_dΣ(zᵢ−1)",
         .stored = "βnΣ((3zᵢ−2)/4+[zᵢ > 2]zᵢ/8)/sᵢ"}),
    .optimal       = "β; α within 2",
    .source        = "Rabenseifner 2004; Thakur, Rabenseifner, Gropp 2005",
};
