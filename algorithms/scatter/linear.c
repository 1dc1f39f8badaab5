/* SPDX-License-Identifier: MIT */
/* Scatter, linear: the root sends every node its block, one after the other.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       P-1
 *   cost         (P-1)(α + βm), any P
 *   space        none
 *   derivation   the root has one port out, so its P-1 messages take a round each; one message a round shares no link,
 *                and the hops are the sum of the distances from the root
 *   source       the naive scatter of Georgia Tech's CS 6220; it is optimal on the noncombining machine
 *
 *   P = 5, root 2
 *     round 1    2 -> 0
 *     round 2    2 -> 1
 *     round 3    2 -> 3
 *     round 4    2 -> 4                                                                                     */
#include "../catalog.h"

static void
scatter_linear_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    peal_packet(me, blocks_longest(me, blocks));
    if (peal_rank(me) == root) {
        for (int i = 0; i < peal_size(me); i++)
            if (i != root)
                post_send(me, block_of(me, in, blocks, i), i);
        block_copy(me, out, block_of(me, in, blocks, root).data, peal_blocks_words(blocks, root));
    } else {
        peal_recv_async(me, out, peal_blocks_words(blocks, peal_rank(me)), root);
    }
    peal_wait_all(me);
}

const struct peal_algorithm scatter_linear = {
    .collective  = PEAL_SCATTER,
    .name        = "linear",
    .summary     = "the root sends every node its block, one after the other",
    .run.scatter = scatter_linear_run,
    .cost        = closed_add_linear,
    .posts       = PEAL_POSTS_MANY,
    .texts       = linear_block_texts,
    .optimal     = "β",
    .holds       = 1,
    .source      = "Georgia Tech CS 6220, naive scatter",
};
