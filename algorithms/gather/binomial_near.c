/* SPDX-License-Identifier: MIT */
/* Gather, binomial-near: scatter/binomial-near backwards: the farthest halves meet first.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       ⌈log₂P⌉
 *   cost         as scatter/binomial-near
 *   space        as scatter/binomial-near
 *   derivation   its messages, reversed in direction and in order.  A node without a partner rests, so that the
 *                rounds are those of the scatter
 *   source       scatter/binomial-near, reversed
 *
 *   P = 6, root 0
 *     round 1    4 -> 0 {4}        5 -> 1 {5}
 *     round 2    2 -> 0 {2}        3 -> 1 {3}
 *     round 3    1 -> 0 {1 3 5}                                                                             */
#include "../patterns/binomial.h"
#include "../patterns/lists.h"

static void
gather_binomial_near_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P; /* ranks as seen from the root */
    int step, count;
    struct peal_piece *held = strided_blocks(me, r == 0 ? out : NULL, blocks, root, in, &step, &count);
    struct list x = list_with_room(me, count);

    peal_packet(me, blocks_longest(me, blocks));
    if (r == 0)
        block_copy(me, held[0].data, in, held[0].words);
    for (int mask = 1 << ceiling_log2(P) >> 1; mask >= 1; mask >>= 1) {
        x.count = 0;
        if (r < mask && r + mask < P) {                  /* those that agree with r + mask up to that bit */
            for (int i = mask / step; i < count; i += 2 * mask / step)
                list_add(&x, held[i]);
            peal_wait(me, peal_recvv_async(me, x.pieces, x.count, (r + mask + root) % P));
        } else if (r < mask) {
            peal_next_round(me);
        } else if (r < 2 * mask) {
            for (int i = 0; i < count; i++)
                list_add(&x, held[i]);
            peal_wait(me, peal_sendv_async(me, x.pieces, x.count, (r - mask + root) % P));
        }
    }
}

const struct peal_algorithm gather_binomial_near = {
    .collective  = PEAL_GATHER,
    .name        = "binomial-near",
    .summary     = "scatter/binomial-near backwards, round by round",
    .run.gather  = gather_binomial_near_run,
    .costs_as    = &scatter_binomial_near,
    .texts       = binomial_near_block_texts,
    .optimal     = "α, β on a full network",
    .source      = "the binomial tree, dimensions in rising order, reversed",
};
