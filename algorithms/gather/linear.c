/* SPDX-License-Identifier: MIT */
/* Gather, linear: every node sends its block to the root, which takes them one after the other.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       P-1
 *   cost         (P-1)(α + βm), any P
 *   space        none
 *   derivation   the root has one port in, so its P-1 messages take a round each; one message a round shares no link,
 *                and the hops are the sum of the distances to the root
 *   source       the dual of the naive scatter of Georgia Tech's CS 6220; it is optimal on the noncombining machine
 *
 *   P = 5, root 2
 *     round 1    0 -> 2
 *     round 2    1 -> 2
 *     round 3    3 -> 2
 *     round 4    4 -> 2                                                                                     */
#include "../catalog.h"

static void
gather_linear_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    peal_packet(me, blocks_longest(me, blocks));
    if (peal_rank(me) == root) {
        for (int i = 0; i < peal_size(me); i++)
            if (i != root)
                post_recv(me, block_of(me, out, blocks, i), i);
        block_copy(me, block_of(me, out, blocks, root).data, in, peal_blocks_words(blocks, root));
    } else {
        peal_send_async(me, in, peal_blocks_words(blocks, peal_rank(me)), root);
    }
    peal_wait_all(me);
}

const struct peal_algorithm gather_linear = {
    .collective  = PEAL_GATHER,
    .name        = "linear",
    .summary     = "every node sends its block to the root, one after the other",
    .run.gather  = gather_linear_run,
    .costs_as    = &scatter_linear,
    .texts       = linear_block_texts,
    .optimal     = "β",
    .holds       = 1,
    .source      = "Georgia Tech CS 6220, dual of the naive scatter",
};
