/* SPDX-License-Identifier: MIT */
/* All-gather, ring: every node sends to the right the block that it received last from the left.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       P-1
 *   cost         (P-1)(α + βm), any P
 *   space        none: blocks arrive in place
 *   derivation   after round i a node has the blocks of itself and the i nodes to its left.  Every node is busy in
 *                every round, so rounds align; the pattern r -> r+1 shares no link on any of our networks (closed.c)
 *   source       Georgia Tech CS 6220, bucketing algorithm for all-gather; Chan et al. 2007
 *
 *   P = 5
 *     round 1    0 -> 1 {0}     1 -> 2 {1}     2 -> 3 {2}     3 -> 4 {3}     4 -> 0 {4}
 *     round 2    0 -> 1 {4}     1 -> 2 {0}     2 -> 3 {1}     3 -> 4 {2}     4 -> 0 {3}
 *     round 3    0 -> 1 {3}     1 -> 2 {4}     2 -> 3 {0}     3 -> 4 {1}     4 -> 0 {2}
 *     round 4    0 -> 1 {2}     1 -> 2 {3}     2 -> 3 {4}     3 -> 4 {0}     4 -> 0 {1}                      */
#include "../catalog.h"

static void
allgather_ring_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me), left = (r - 1 + P) % P, right = (r + 1) % P;
    struct peal_piece own = block_of(me, out, blocks, r);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (int i = 0; i < P - 1; i++)
        exchange(me, block_of(me, out, blocks, r - i), right, block_of(me, out, blocks, r - i - 1), left);
}

static void
allgather_ring_cost(struct closed *sum)
{
    closed_add_ring(sum, closed_product(sum, closed_words(sum), sum->situation->nodes));
}

const struct peal_algorithm allgather_ring = {
    .collective    = PEAL_ALLGATHER,
    .name          = "ring",
    .summary       = "pass on to the right the block that came last from the left",
    .run.allgather = allgather_ring_run,
    .cost          = allgather_ring_cost,
    .texts         = ring_block_texts,
    .optimal       = "β",
    .source        = "Georgia Tech CS 6220, bucketing algorithm; Chan et al. 2007",
};
