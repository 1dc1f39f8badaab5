/* SPDX-License-Identifier: MIT */
/* All-gather, distance-halving: as recursive-doubling, the farthest node first, so that far messages are short.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       log₂P, or ⌊log₂P⌋ + 2 if P is not a power of two
 *   cost         α log₂P + βm(P-1) for P = 2^q; on a line βm(P/2)log₂P; else with the words of folding, in all
 *                Σ (P₂/2^(j+1) + ⌈(P-P₂)/2^(j+1)⌉) + P, P₂ = 2^⌊log₂P⌋, j < ⌊log₂P⌋
 *   space        16 bytes a block: the lists of blocks sent and received
 *   derivation   before the round of mask a number has the blocks of those that agree with it in the bits of mask and
 *                below: of every 2·mask numbers one.  Number 0 and those like it have the most ranks.  On a line mask
 *                messages of P/(2·mask) blocks cross a middle: P/2 a round
 *   source       MPICH, recursive exchange by distance halving
 *
 *   P = 6
 *     round 1    0 -> 1 {0}               2 -> 3 {2}                             1 3 4 5 stand for 01 23 4 5
 *     round 2    1 <-> 4 {0 1} {4}        3 <-> 5 {2 3} {5}
 *     round 3    1 <-> 3 {0 1 4} {2 3 5}  4 <-> 5 {0 1 4} {2 3 5}
 *     round 4    1 -> 0 {1..5}            3 -> 2 {0 1 3 4 5}                                                */
#include "../patterns/fold.h"
#include "../patterns/lists.h"

/* List the blocks of those that agree with `number` in the bits of `mask` and below. */
static void
list_agreeing(struct list *list, const struct peal_node *me, const struct fold *fold, void *out,
              const struct peal_blocks *blocks, int number, int mask)
{
    list->count = 0;
    for (int i = number & (2 * mask - 1); i < fold->nodes; i += 2 * mask)
        list_add(list, fold_blocks(me, fold, out, blocks, i, i + 1));
}

static void
allgather_distance_halving_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct fold fold = fold_of(P, r);
    struct peal_piece own = block_of(me, out, blocks, r);
    struct list x = list_with_room(me, (fold.nodes + 1) / 2), y = list_with_room(me, (fold.nodes + 1) / 2);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    fold_take_block(me, &fold, out, blocks);
    for (int mask = fold.nodes / 2; mask >= 1 && fold.number >= 0; mask /= 2) {
        int partner = fold_rank(&fold, fold.number ^ mask);

        list_agreeing(&x, me, &fold, out, blocks, fold.number, mask);
        list_agreeing(&y, me, &fold, out, blocks, fold.number ^ mask, mask);
        exchange_pieces(me, x.pieces, x.count, partner, y.pieces, y.count, partner);
    }
    fold_give_blocks(me, &fold, out, blocks);
}

static void
allgather_distance_halving_cost(struct closed *sum)
{
    struct fold fold = fold_of(sum->situation->nodes, 0);

    closed_bundles(sum);
    fold_closed_round(sum, closed_words(sum));
    if (fold.rem > 0)
        closed_uneven(sum);
    for (int mask = fold.nodes / 2; mask >= 1; mask /= 2) {
        int two = (fold.rem + 2 * mask - 1) / (2 * mask); /* of number 0's, those that stand for two ranks */

        fold_closed_exchange(sum, mask, closed_product(sum, closed_words(sum), fold.nodes / (2 * mask) + two));
    }
    fold_closed_round(sum, closed_product(sum, closed_words(sum), sum->situation->nodes - 1));
}

const struct peal_algorithm allgather_distance_halving = {
    .collective    = PEAL_ALLGATHER,
    .name          = "distance-halving",
    .summary       = "exchange all blocks at hand with the farthest node first",
    .run.allgather = allgather_distance_halving_run,
    .cost          = allgather_distance_halving_cost,
    .texts         = TEXTS(
        {.rows = far_exchanges_texts},
        {.on = "full", .alpha = "α(q+2)", .beta = "βm(P+N−1+Σ_{j=0..q−1}⌈(P−N)/2^(j+1)⌉)", .near = true,
         .names = "q = ⌊log₂P⌋, N = 2^q"}),
    .optimal       = "α, β for P = 2^q",
    .lists         = 6,
    .source        = "MPICH, recursive exchange by distance halving",
};
