/* SPDX-License-Identifier: MIT */
/* All-gather, swing: exchange missing blocks with partners on alternating sides, at distances .., 5, 3, 1, 1.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉ + βm(P-1), any even P; on a ring of 2^q nodes α log₂P + βm Σ (P/2^(s+1))(d_s+1)/2 over the
 *                steps s with d_s = |1-(-2)^(s+1)|/3 = 1, 1, 3, 5, 11, ..
 *   space        2P numbers, lists of P/2 pieces; blocks arrive in place
 *   derivation   swing.c: nothing comes twice, and half of the messages of a step go either way round
 *   source       De Sensi et al., NSDI 2024, arXiv 2401.09356
 *
 *   P = 6, even ranks; the odd ones send back as much
 *     round 1    0 -> 3 {0}      2 -> 5 {2}      4 -> 1 {4}        3 on
 *     round 2    0 -> 5 {0 3}    2 -> 1 {2 5}    4 -> 3 {4 1}      1 back
 *     round 3    0 -> 1 {0 3}    2 -> 3 {2 5}    4 -> 5 {4 1}      1 on                                      */
#include "../patterns/lists.h"
#include "../patterns/swing.h"

static void
allgather_swing_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, out, blocks, r);
    struct peal_piece *sent = pieces_room(me, P / 2 + 1), *got = pieces_room(me, P / 2 + 1);
    struct swing swing;

    peal_packet(me, blocks_longest(me, blocks));
    swing_init(&swing, P, ints_room(me, (size_t)P), ints_room(me, (size_t)P));
    block_copy(me, own.data, in, own.words);
    for (int s = swing.steps - 1; s >= 0; s--) {
        int partner = swing_partner(P, r, s);

        swing_blocks(me, &swing, partner, s, out, blocks, sent);
        swing_blocks(me, &swing, r, s, out, blocks, got);
        exchange_pieces(me, sent, swing.count[s], partner, got, swing.count[s], partner);
    }
}

static void
allgather_swing_cost(struct closed *sum)
{
    closed_bundles(sum);
    swing_closed_blocks(sum, closed_words(sum));
}

const struct peal_algorithm allgather_swing = {
    .collective    = PEAL_ALLGATHER,
    .name          = "swing",
    .summary       = "exchange with partners on alternating sides, the far ones first",
    .run.allgather = allgather_swing_run,
    .needs.even    = true,
    .cost          = allgather_swing_cost,
    .texts         = swing_block_texts,
    .optimal       = "α, β; short ways on rings and tori",
    .lists         = 8,
    .source        = "De Sensi et al., NSDI 2024, arXiv 2401.09356",
};
