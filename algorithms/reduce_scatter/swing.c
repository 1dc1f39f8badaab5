/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, swing: exchange sums with partners on alternating sides, at distances 1, 1, 3, 5, 11, ..
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉ + βm(P-1), any even P; on a ring of 2^q nodes α log₂P + βm Σ (P/2^(s+1))(d_s+1)/2 over the
 *                steps s with d_s = 1, 1, 3, 5, 11, ..: 8, 19, 44, 99 blocks for P = 8, 16, 32, 64
 *   space        2P blocks, 2P numbers, lists of P/2 pieces
 *   rank order   is not kept; needs a commutative operator
 *   derivation   allgather/swing in reverse: where a node received blocks there, it now sends its sums of them, and
 *                drops them
 *   source       De Sensi et al., NSDI 2024, arXiv 2401.09356
 *
 *   P = 6, even ranks; the odd ones send back as much
 *     round 1    0 -> 1 {1 4}    2 -> 3 {3 0}    4 -> 5 {5 2}      1 on
 *     round 2    0 -> 5 {5 2}    2 -> 1 {1 4}    4 -> 3 {3 0}      1 back
 *     round 3    0 -> 3 {3}      2 -> 5 {5}      4 -> 1 {1}        3 on                                     */
#include "../patterns/lists.h"
#include "../patterns/swing.h"

static void
reduce_scatter_swing_run(struct peal_node *me, const struct peal_op *op, const void *in,
                         const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t n = blocks_all(me, blocks);
    void *sum = peal_scratch(me, n), *x = peal_scratch(me, n);
    struct peal_piece *sent = pieces_room(me, P / 2 + 1), *got = pieces_room(me, P / 2 + 1), *kept = sent;
    struct swing swing;

    peal_packet(me, blocks_longest(me, blocks));
    swing_init(&swing, P, ints_room(me, (size_t)P), ints_room(me, (size_t)P));
    block_copy(me, sum, in, n);
    for (int s = 0; s < swing.steps; s++) {
        int partner = swing_partner(P, r, s);

        swing_blocks(me, &swing, r, s, sum, blocks, sent);
        swing_blocks(me, &swing, partner, s, x, blocks, got);
        exchange_pieces(me, sent, swing.count[s], partner, got, swing.count[s], partner);
        swing_blocks(me, &swing, partner, s, sum, blocks, kept);
        combine_pieces(op, kept, got, kept, swing.count[s]);
    }
    block_copy(me, out, block_of(me, sum, blocks, r).data, peal_blocks_words(blocks, r));
}

const struct peal_algorithm reduce_scatter_swing = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "swing",
    .summary            = "exchange sums with partners on alternating sides",
    .run.reduce_scatter = reduce_scatter_swing_run,
    .needs.even         = true,
    .needs.commutative  = true,
    .costs_as           = &allgather_swing,
    .texts              = swing_block_texts,
    .optimal            = "α, β; short ways on rings and tori",
    .differs            = PEAL_DIFFERS(SIZES),
    .holds              = 5,
    .lists              = 7,
    .source             = "De Sensi et al., NSDI 2024, arXiv 2401.09356",
};
