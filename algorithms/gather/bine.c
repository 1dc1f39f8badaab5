/* SPDX-License-Identifier: MIT */
/* Gather, bine: scatter/bine backwards.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       log₂P, P = 2^q
 *   cost         α log₂P + βm(P-1); on a ring t_d⌊2P/3⌋ besides
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   its messages, reversed in direction and in order
 *   source       De Sensi et al. 2025, arXiv 2508.17311
 *
 *   P = 4 (P must be a power of two), root 0
 *     round 1    1 -> 0 {1}       2 -> 3 {2}
 *     round 2    3 -> 0 {2 3}                                                                               */
#include "../patterns/bine.h"

static void
gather_bine_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, parent, last = bine_heard(P, r, &parent);
    struct bundle mine = bundle_of_root(me, out, blocks);

    peal_packet(me, blocks_longest(me, blocks));
    if (r != 0)
        mine = bundle_with_room(me, bine_subtree(root, P, r, last), blocks, in);
    else
        block_copy(me, block_of(me, out, blocks, root).data, in, peal_blocks_words(blocks, root));
    for (int step = 0; step < last; step++) {
        int child = bine_partner(P, r, step);

        bundle_recv(me, &mine, bine_subtree(root, P, child, step), (child + root) % P);
    }
    if (r != 0)
        bundle_send(me, &mine, mine.span, (parent + root) % P);
}

const struct peal_algorithm gather_bine = {
    .collective         = PEAL_GATHER,
    .name               = "bine",
    .summary            = "scatter/bine backwards, round by round",
    .run.gather         = gather_bine_run,
    .needs.power_of_two = true,
    .costs_as           = &scatter_bine,
    .closed_on          = "full ring",
    .texts              = bine_block_texts,
    .optimal            = "α, β on a full network or ring",
    .source             = "De Sensi et al. 2025, arXiv 2508.17311",
};
