/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, distance-doubling: halve the vector as `halving` does, but with the nearest node first, which keeps
 * the order of the ranks.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all, in rank order
 *   rounds       ⌈log₂P⌉, or ⌊log₂P⌋ + 2 if P is not a power of two
 *   cost         α log₂P + βm(P-1) for P = 2^q; on a line α log₂P + βm(P/2)log₂P; else with the words of folding
 *   space        2P blocks, lists of P/2 pieces
 *   keeps rank order, for any associative operator: the numbers i and i ^ mask stand for neighbouring ranges when they
 *   meet
 *   derivation   a number keeps the blocks of those that agree with it in the bits up to mask: of every 2·mask one.
 *                Most are kept by number 0 and its like.  On a line mask messages of P/(2·mask) blocks cross a middle:
 *                P/2 a round
 *   source       Rabenseifner 2004, vector halving and distance doubling; MPICH, noncommutative
 *
 *   P = 6
 *     round 1    0 -> 1 {0..5}     2 -> 3 {0..5}                                 1 3 4 5 stand for 01 23 4 5
 *     round 2    1 -> 3 {2 3 5}    3 -> 1 {0 1 4}   4 -> 5 {2 3 5}    5 -> 4 {0 1 4}
 *     round 3    1 -> 4 {4}        4 -> 1 {0 1}     3 -> 5 {5}        5 -> 3 {2 3}
 *     round 4    1 -> 0 {0}        3 -> 2 {2}                                                              */
#include "../patterns/fold.h"
#include "../patterns/lists.h"

/* List the blocks in x of those that agree with `number` in the bits of `mask` and below; return their number. */
static int
agreeing(const struct peal_node *me, const struct fold *fold, const void *x, const struct peal_blocks *blocks,
         int number, int mask, struct peal_piece *pieces)
{
    int count = 0;

    for (int i = number & (2 * mask - 1); i < fold->nodes; i += 2 * mask)
        pieces[count++] = fold_blocks(me, fold, x, blocks, i, i + 1);
    return count;
}

static void
reduce_scatter_distance_doubling_run(struct peal_node *me, const struct peal_op *op, const void *in,
                                     const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), rank = peal_rank(me);
    struct fold fold = fold_of(P, rank);
    size_t n = blocks_all(me, blocks), m = peal_blocks_words(blocks, rank);
    void *sum = peal_scratch(me, n), *x = peal_scratch(me, n);
    struct peal_piece *theirs = pieces_room(me, fold.nodes / 2), *mine = pieces_room(me, fold.nodes / 2);
    struct peal_piece *got = pieces_room(me, fold.nodes / 2);
    const void *from;

    peal_packet(me, blocks_longest(me, blocks));
    from = fold_in(me, &fold, op, in, sum, n);
    for (int mask = 1; mask < fold.nodes && fold.number >= 0; mask *= 2) {
        int partner = fold.number ^ mask, rank_of = fold_rank(&fold, partner);
        int count = agreeing(me, &fold, from, blocks, partner, mask, theirs);

        agreeing(me, &fold, x, blocks, fold.number, mask, got);
        exchange_pieces(me, theirs, count, rank_of, got, count, rank_of);
        agreeing(me, &fold, from, blocks, fold.number, mask, mine);
        agreeing(me, &fold, sum, blocks, fold.number, mask, theirs);
        if (fold.number < partner)
            combine_pieces(op, mine, got, theirs, count);
        else
            combine_pieces(op, got, mine, theirs, count);
        from = sum;
    }
    if (fold.number >= 0)
        block_copy(me, out, block_of(me, from, blocks, rank).data, m);
    fold_out(me, &fold, block_of(me, from, blocks, rank - 1), (struct peal_piece){out, m});
}

static void
reduce_scatter_distance_doubling_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);
    int64_t m = fold_closed_begin(sum);

    for (int mask = 1; mask < fold.nodes; mask *= 2) {
        int two = (fold.rem + 2 * mask - 1) / (2 * mask);        /* of number 0's, those that stand for two ranks */

        fold_closed_exchange(sum, mask, closed_product(sum, m, fold.nodes / (2 * mask) + two));
    }
    fold_closed_round(sum, m);
}

/* As all-gather/distance-halving, backwards. Folded: P blocks in, and one back. */
const struct peal_algorithm reduce_scatter_distance_doubling = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "distance-doubling",
    .summary            = "exchange halves with the nearest node first: any operator",
    .run.reduce_scatter = reduce_scatter_distance_doubling_run,
    .cost               = reduce_scatter_distance_doubling_cost,
    .texts              = TEXTS(
        {.rows = far_exchanges_texts},
        {.on = "full", .alpha = "α(q+2)", .beta = "βm(P+N+Σ_{j=0..q−1}⌈(P−N)/2^(j+1)⌉)", .near = true,
         .names = "q = ⌊log₂P⌋, N = 2^q"}),
    .optimal            = "α, β",
    .holds              = 4,
    .lists              = 8,
    .source             = "Rabenseifner 2004, vector halving and distance doubling",
};
