/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, circulant: send the sums of ever fewer blocks s ranks on, s half of P, a quarter, .., rounded up.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉ + βm(P-1), any P
 *   space        2P blocks
 *   rank order   is not kept; needs a commutative operator
 *   derivation   before the round of s = s_k a node r is responsible for the blocks r .. r+s_{k+1}-1.  It sends those
 *                from r+s on to r+s, which is responsible for their sums too, and keeps the s before: s_{k+1} - s_k
 *                blocks, which telescope to P-1.  Every node sends in every round by the same shift
 *   source       Träff, arXiv 2410.14234
 *
 *   P = 5: skips 1 2 3 5
 *     round 1    r -> r+3  the blocks of r+3 r+4
 *     round 2    r -> r+2  the block of r+2
 *     round 3    r -> r+1  the block of r+1                                                                 */
#include "../patterns/circulant.h"
#include "../patterns/lists.h"

static void
reduce_scatter_circulant_run(struct peal_node *me, const struct peal_op *op, const void *in,
                             const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me), skips[CIRCULANT_SKIPS], q = circulant_skips(P, skips);
    size_t n = blocks_all(me, blocks);
    void *sum = peal_scratch(me, n), *x = peal_scratch(me, n);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, sum, in, n);
    for (int k = q - 1; k >= 0; k--) {
        int s = skips[k], count = skips[k + 1] - s;
        struct peal_piece sent[2], got[2], kept[2];
        int sends = blocks_round(me, sum, blocks, r + s, count, sent);
        int keeps = blocks_round(me, x, blocks, r, count, got);

        exchange_pieces(me, sent, sends, (r + s) % P, got, keeps, (r - s + P) % P);
        blocks_round(me, sum, blocks, r, count, kept);
        combine_pieces(op, kept, got, kept, keeps);
    }
    block_copy(me, out, block_of(me, sum, blocks, r).data, peal_blocks_words(blocks, r));
}

static void
reduce_scatter_circulant_cost(struct closed *sum)
{
    int skips[CIRCULANT_SKIPS], q = circulant_skips(sum->situation->nodes, skips);

    closed_bundles(sum);
    for (int k = q - 1; k >= 0; k--)
        closed_add_shift(sum, skips[k], closed_product(sum, closed_words(sum), skips[k + 1] - skips[k]));
}

const struct peal_algorithm reduce_scatter_circulant = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "circulant",
    .summary            = "send sums half of P on, a quarter, ..: ⌈log₂P⌉ rounds for any P",
    .run.reduce_scatter = reduce_scatter_circulant_run,
    .needs.commutative  = true,
    .cost               = reduce_scatter_circulant_cost,
    .texts              = circulant_block_texts,
    .optimal            = "α, β",
    .differs            = PEAL_DIFFERS(SIZES),
    .holds              = 4,
    .source             = "Träff, arXiv 2410.14234",
};
