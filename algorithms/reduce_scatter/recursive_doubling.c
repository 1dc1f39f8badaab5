/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, recursive-doubling: exchange with rank ^ 1, 2, 4, .. all the blocks that nodes outside of one's own
 * group still need.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all, in rank order
 *   rounds       ⌈log₂P⌉, or ⌊log₂P⌋ + 2 if P is not a power of two
 *   cost         α log₂P + βm(P log₂P - P + 1) for P = 2^q; else with the words of folding
 *   space        2P blocks
 *   keeps rank order, for any associative operator
 *   derivation   before the round of mask a group of mask numbers has its combination of all blocks but its own
 *                members', each of which has its own.  It sends all blocks but the group's: P - mask.  Shortest groups,
 *                longest message: the last, whose numbers stand for one rank each.  On a line mask messages cross a
 *                middle
 *   source       Open MPI, reduce_scatter by recursive doubling; MPICH
 *
 *   P = 5
 *     round 1    0 -> 1 {0..4}                                                   1 2 3 4 stand for 01 2 3 4
 *     round 2    1 -> 2 {2 3 4}    2 -> 1 {0 1 3 4}   3 -> 4 {0 1 2 4}   4 -> 3 {0 1 2 3}
 *     round 3    1 -> 3 {3 4}      3 -> 1 {0 1 2}     2 -> 4 {3 4}       4 -> 2 {0 1 2}
 *     round 4    1 -> 0 {0}                                                                                 */
#include "../patterns/fold.h"
#include "../patterns/lists.h"

/* The blocks in x outside of the group of `mask` numbers that `number` is in: two pieces. */
static void
outside(const struct peal_node *me, const struct fold *fold, const void *x, const struct peal_blocks *blocks,
        int number, int mask, struct peal_piece pieces[2])
{
    int l = number & -mask;

    pieces[0] = fold_blocks(me, fold, x, blocks, 0, l);
    pieces[1] = fold_blocks(me, fold, x, blocks, l + mask, fold->nodes);
}

static void
reduce_scatter_recursive_doubling_run(struct peal_node *me, const struct peal_op *op, const void *in,
                                      const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), rank = peal_rank(me);
    struct fold fold = fold_of(P, rank);
    size_t n = blocks_all(me, blocks), m = peal_blocks_words(blocks, rank);
    void *sum = peal_scratch(me, n), *x = peal_scratch(me, n);
    const void *from;

    peal_packet(me, blocks_longest(me, blocks));
    from = fold_in(me, &fold, op, in, sum, n);
    if (fold.number >= 0) {
        block_copy(me, sum, from, n);                        /* whole: blocks that no node needs are combined, too */
        from = sum;
    }
    for (int mask = 1; mask < fold.nodes && fold.number >= 0; mask *= 2) {
        int partner = fold.number ^ mask, rank_of = fold_rank(&fold, partner);
        struct peal_piece sent[2], got[2], mine[2], kept[2];

        outside(me, &fold, from, blocks, fold.number, mask, sent);
        outside(me, &fold, x, blocks, partner, mask, got);
        exchange_pieces(me, sent, 2, rank_of, got, 2, rank_of);
        outside(me, &fold, from, blocks, partner, mask, mine);
        outside(me, &fold, sum, blocks, partner, mask, kept);
        if (fold.number < partner)
            combine_pieces(op, mine, got, kept, 2);
        else
            combine_pieces(op, got, mine, kept, 2);
        from = sum;
    }
    if (fold.number >= 0)
        block_copy(me, out, block_of(me, from, blocks, rank).data, m);
    fold_out(me, &fold, block_of(me, from, blocks, rank - 1), (struct peal_piece){out, m});
}

static void
reduce_scatter_recursive_doubling_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);
    int64_t m = fold_closed_begin(sum);

    for (int mask = 1; mask < fold.nodes; mask *= 2)
        fold_closed_exchange(sum, mask, closed_product(sum, m, fold_begin(&fold, fold.nodes - mask)));
    fold_closed_round(sum, m);
}

/* h messages of P-h blocks on a link. */
const struct peal_algorithm reduce_scatter_recursive_doubling = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "recursive-doubling",
    .summary            = "exchange with rank ^ 1, 2, 4, .. what nodes outside the group need",
    .run.reduce_scatter = reduce_scatter_recursive_doubling_run,
    .cost               = reduce_scatter_recursive_doubling_cost,
    .texts              = TEXTS(
        {.on = "full hypercube", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P log₂P−P+1)", .near = true,
         .cited = ""},
        {.on = "full", .alpha = "α(q+2)", .beta = "βm(P+1+Σ_{j=0..q−1}(N−2^j+min(N−2^j, P−N)))", .near = true,
         .names = "q = ⌊log₂P⌋, N = 2^q"},
        {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)(2P−1)/3", .hop = "t_d(P−1)",
         .stored = "βm(P³−1)/7"},
        {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)(2P−1)/3", .hop = "t_d(P−1)",
         .stored = "βm((P³−1)/7+[P > 2]P³/32)"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βmΣ(P(zᵢ−1)−sᵢ(zᵢ²−1)/3)", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βmΣ(Pzᵢ²/4−sᵢ(3zᵢ³+4)/28)"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βmΣ(P(zᵢ−1)−sᵢ(zᵢ²−1)/3)",
         .hop = "t_dΣ(zᵢ−1)", .stored = "βmΣ(Pzᵢ²/4−sᵢ(3zᵢ³+4)/28+[zᵢ > 2](Pzᵢ²/16−sᵢzᵢ³/32))"}),
    .optimal            = "α",
    .holds              = 5,
    .source             = "Open MPI, reduce_scatter by recursive doubling",
};
