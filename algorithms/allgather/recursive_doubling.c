/* SPDX-License-Identifier: MIT */
/* All-gather, recursive-doubling: exchange all blocks received so far with rank ^ 1, ^ 2, ^ 4, ..
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       log₂P, or ⌊log₂P⌋ + 2 if P is not a power of two
 *   cost         α log₂P + βm(P-1) for P = 2^q; on a line βm(P²-1)/3; else with the words of folding, in all
 *                P₂-1 + Σ min(2^j, P-P₂) + P, P₂ = 2^⌊log₂P⌋, j < ⌊log₂P⌋
 *   space        none: blocks arrive in place
 *   derivation   before the round of mask the blocks of `mask` neighbouring numbers are at each of them; the lowest
 *                numbers stand for two ranks each, so theirs are the most.  On a line mask messages of mask blocks
 *                cross a middle.  Folding: a block in, and all others back, P blocks; a node without a mate rests in
 *                both rounds
 *   source       Thakur, Rabenseifner, Gropp 2005; MPICH, all-gather by recursive doubling
 *
 *   P = 6
 *     round 1    0 -> 1 {0}             2 -> 3 {2}                               1 3 4 5 stand for 01 23 4 5
 *     round 2    1 <-> 3 {0 1} {2 3}    4 <-> 5 {4} {5}
 *     round 3    1 <-> 4 {0..3} {4 5}   3 <-> 5 {0..3} {4 5}
 *     round 4    1 -> 0 {1..5}          3 -> 2 {0 1 3 4 5}                                                  */
#include "../patterns/fold.h"

static void
allgather_recursive_doubling_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct fold fold = fold_of(P, r);
    struct peal_piece own = block_of(me, out, blocks, r);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    fold_take_block(me, &fold, out, blocks);
    for (int mask = 1; mask < fold.nodes && fold.number >= 0; mask *= 2) {
        int mine = fold.number & -mask, theirs = mine ^ mask, partner = fold_rank(&fold, fold.number ^ mask);

        exchange(me, fold_blocks(me, &fold, out, blocks, mine, mine + mask), partner,
                 fold_blocks(me, &fold, out, blocks, theirs, theirs + mask), partner);
    }
    fold_give_blocks(me, &fold, out, blocks);
}

static void
allgather_recursive_doubling_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);

    closed_bundles(sum);
    fold_closed_round(sum, closed_words(sum));
    if (fold.rem > 0)
        closed_uneven(sum);
    for (int mask = 1; mask < fold.nodes; mask *= 2)
        fold_closed_exchange(sum, mask, closed_product(sum, closed_words(sum), fold_begin(&fold, mask)));
    fold_closed_round(sum, closed_product(sum, closed_words(sum), sum->situation->nodes - 1));
}

/* Folded: a block in, 2^j and those of min(2^j, P-N) more ranks, P-1 back. */
const struct peal_algorithm allgather_recursive_doubling = {
    .collective    = PEAL_ALLGATHER,
    .name          = "recursive-doubling",
    .summary       = "exchange all blocks at hand with rank ^ 1, ^ 2, ^ 4, ..",
    .run.allgather = allgather_recursive_doubling_run,
    .cost          = allgather_recursive_doubling_cost,
    .texts         = TEXTS(
        {.rows = near_exchanges_texts},
        {.on = "full", .alpha = "α(q+2)", .beta = "βm(P+N−1+Σ_{j=0..q−1}min(2^j, P−N))", .near = true,
         .names = "q = ⌊log₂P⌋, N = 2^q"}),
    .optimal       = "α, β for P = 2^q",
    .source        = "Thakur, Rabenseifner, Gropp 2005",
};
