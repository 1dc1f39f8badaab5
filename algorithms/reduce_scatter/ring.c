/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, ring: the sum of a block travels round the ring to its node, and every node adds its own on the way.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all
 *   rounds       P-1
 *   cost         (P-1)(α + βm), any P
 *   space        m words
 *   rank order   is not kept: block i is combined from rank i+1 on, round the end; needs a commutative operator
 *   derivation   the sum of block b leaves node b+1 in round 1 and is at node b+1+i after round i.  Every node is busy
 *                in every round, so rounds align; the pattern r -> r+1 shares no link (closed.c)
 *   source       allgather/ring backwards (Georgia Tech CS 6220, bucketing); Chan et al. 2007
 *
 *   P = 4
 *     round 1    0 -> 1 {3}     1 -> 2 {0}     2 -> 3 {1}     3 -> 0 {2}
 *     round 2    0 -> 1 {2}     1 -> 2 {3}     2 -> 3 {0}     3 -> 0 {1}
 *     round 3    0 -> 1 {1}     1 -> 2 {2}     2 -> 3 {3}     3 -> 0 {0}                                    */
#include "../catalog.h"

static void
reduce_scatter_ring_run(struct peal_node *me, const struct peal_op *op, const void *in,
                        const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me), left = (r - 1 + P) % P, right = (r + 1) % P;
    size_t longest = blocks_longest(me, blocks);
    struct peal_piece sum = block_of(me, in, blocks, r - 1);
    void *x = P > 1 ? peal_scratch(me, longest) : NULL, *y = P > 1 ? peal_scratch(me, longest) : NULL;

    peal_packet(me, longest);
    for (int i = 0; i < P - 1; i++) {
        struct peal_piece own = block_of(me, in, blocks, r - i - 2);

        exchange(me, sum, right, (struct peal_piece){x, own.words}, left);
        peal_combine(op, x, own.data, y, own.words);
        sum = (struct peal_piece){y, own.words};
    }
    block_copy(me, out, sum.data, peal_blocks_words(blocks, r));
}

const struct peal_algorithm reduce_scatter_ring = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "ring",
    .summary            = "each block's sum travels round the ring to its node",
    .run.reduce_scatter = reduce_scatter_ring_run,
    .needs.commutative  = true,
    .costs_as           = &allgather_ring,
    .texts              = ring_block_texts,
    .optimal            = "β",
    .differs            = PEAL_DIFFERS(SIZES),
    .holds              = 1,
    .source             = "Georgia Tech CS 6220, bucketing algorithm; Chan et al. 2007",
};
