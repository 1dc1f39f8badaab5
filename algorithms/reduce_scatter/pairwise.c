/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, pairwise: in round i every node sends to the node i ranks on that node's block, and combines the one
 * it receives.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all, in rank order
 *   rounds       P-1
 *   cost         (P-1)(α + βm) where no links are shared; on lines and rings (P-1)α + ⌊P²/4⌋βm, any P
 *   space        2 blocks
 *   keeps rank order, for any associative operator: the blocks come from r-1, .., 0, then from P-1, .., r+1, so each
 *                joins the left end of one of two ranges, which are combined at the end
 *   derivation   as all-to-all/shift
 *   source       MPICH, pairwise exchange (which waits for the order of the ranks only with commutative operators); the
 *                two ranges are Peal's own
 *
 *   P = 5
 *     round 1    0 -> 1 {1}    1 -> 2 {2}    2 -> 3 {3}    3 -> 4 {4}    4 -> 0 {0}
 *     round 2    0 -> 2 {2}    1 -> 3 {3}    2 -> 4 {4}    3 -> 0 {0}    4 -> 1 {1}
 *     round 3    0 -> 3 {3}    1 -> 4 {4}    2 -> 0 {0}    3 -> 1 {1}    4 -> 2 {2}
 *     round 4    0 -> 4 {4}    1 -> 0 {0}    2 -> 1 {1}    3 -> 2 {2}    4 -> 3 {3}                          */
#include "../catalog.h"

static void
reduce_scatter_pairwise_run(struct peal_node *me, const struct peal_op *op, const void *in,
                            const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t m = peal_blocks_words(blocks, r);
    void *higher = peal_scratch(me, m), *x = peal_scratch(me, m);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, out, block_of(me, in, blocks, r).data, m);
    for (int i = 1; i < P; i++) {
        int dest = (r + i) % P, source = (r - i + P) % P;

        exchange(me, block_of(me, in, blocks, dest), dest, (struct peal_piece){x, m}, source);
        if (source < r)
            peal_combine(op, x, out, out, m);                 /* source .. r */
        else if (source == P - 1)
            block_copy(me, higher, x, m);
        else
            peal_combine(op, x, higher, higher, m);           /* source .. P-1 */
    }
    if (r < P - 1)
        peal_combine(op, out, higher, out, m);
}

const struct peal_algorithm reduce_scatter_pairwise = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "pairwise",
    .summary            = "send the node i ranks on its block, in round i: any operator",
    .run.reduce_scatter = reduce_scatter_pairwise_run,
    .costs_as           = &alltoall_shift,
    .texts              = shifts_texts,
    .optimal            = "β",
    .differs            = PEAL_DIFFERS(SIZES),
    .holds              = 1,
    .source             = "MPICH, pairwise exchange",
};
