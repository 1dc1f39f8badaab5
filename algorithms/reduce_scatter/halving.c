/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, halving: exchange halves of the vector with the far half of the nodes, then quarters in both halves.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all
 *   rounds       ⌈log₂P⌉, or ⌊log₂P⌋ + 2 if P is not a power of two
 *   cost         α log₂P + βm(P-1) for P = 2^q; else the words of folding: Pm, then the halves of the rest, then m
 *   space        2P blocks
 *   rank order   is not kept: far ranks are combined first; needs a commutative operator
 *   derivation   of the numbers l .. r-1 (see fold.c) each keeps the blocks of its own half, so the halves are those of
 *                0 .. 2·mask-1 at the longest: blocks 0 .. of the first `mask` numbers.  On a line mask messages share
 *                the link in the middle: Σ mask² = (P²-1)/3
 *   source       Thakur, Rabenseifner, Gropp 2005, recursive halving; MPICH, recursive_halving
 *
 *   P = 6
 *     round 1    0 -> 1 {0..5}     2 -> 3 {0..5}                                 1 3 4 5 stand for 01 23 4 5
 *     round 2    1 -> 4 {4 5}      3 -> 5 {4 5}     4 -> 1 {0..3}     5 -> 3 {0..3}
 *     round 3    1 -> 3 {2 3}      3 -> 1 {0 1}     4 -> 5 {5}        5 -> 4 {4}
 *     round 4    1 -> 0 {0}        3 -> 2 {2}                                                              */
#include "../patterns/fold.h"

static void
reduce_scatter_halving_run(struct peal_node *me, const struct peal_op *op, const void *in,
                           const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), rank = peal_rank(me), l = 0;
    struct fold fold = fold_of(P, rank);
    size_t n = blocks_all(me, blocks), m = peal_blocks_words(blocks, rank);
    void *sum = peal_scratch(me, n), *x = peal_scratch(me, n);
    const void *from;

    peal_packet(me, blocks_longest(me, blocks));
    from = fold_in(me, &fold, op, in, sum, n);
    for (int mask = fold.nodes / 2; mask >= 1 && fold.number >= 0; mask /= 2) {
        int partner = fold.number ^ mask, mid = l + mask, other = fold.number < mid ? mid : l;
        struct peal_piece theirs = fold_blocks(me, &fold, from, blocks, other, other + mask), mine, kept;

        l = fold.number < mid ? l : mid;
        mine = fold_blocks(me, &fold, from, blocks, l, l + mask);
        kept = fold_blocks(me, &fold, sum, blocks, l, l + mask);
        exchange(me, theirs, fold_rank(&fold, partner), (struct peal_piece){x, mine.words}, fold_rank(&fold, partner));
        peal_combine(op, mine.data, x, kept.data, kept.words);
        from = sum;
    }
    if (fold.number >= 0)
        block_copy(me, out, block_of(me, from, blocks, rank).data, m);
    fold_out(me, &fold, block_of(me, from, blocks, rank - 1), (struct peal_piece){out, m});
}

static void
reduce_scatter_halving_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);
    int64_t m = fold_closed_begin(sum);

    for (int mask = fold.nodes / 2; mask >= 1; mask /= 2)
        fold_closed_exchange(sum, mask, closed_product(sum, m, fold_begin(&fold, mask)));
    fold_closed_round(sum, m);
}

/* As all-gather/recursive-doubling, backwards. Folded: P blocks in, and one back. */
const struct peal_algorithm reduce_scatter_halving = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "halving",
    .summary            = "exchange halves with the far half of the nodes, then quarters",
    .run.reduce_scatter = reduce_scatter_halving_run,
    .needs.commutative  = true,
    .cost               = reduce_scatter_halving_cost,
    .texts              = TEXTS(
        {.rows = near_exchanges_texts},
        {.on = "full", .alpha = "α(q+2)", .beta = "βm(P+N+Σ_{j=0..q−1}min(2^j, P−N))", .near = true,
         .names = "q = ⌊log₂P⌋, N = 2^q"}),
    .optimal            = "α, β",
    .lists              = 2,
    .holds              = 4,
    .source             = "Thakur, Rabenseifner, Gropp 2005, recursive halving",
};
