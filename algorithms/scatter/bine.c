/* SPDX-License-Identifier: MIT */
/* Scatter, bine: a binomial tree whose messages alternate between the directions of a ring: fewer hops, as few rounds
 * and words.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       log₂P, P = 2^q
 *   cost         α log₂P + βm(P-1); on a ring t_d⌊2P/3⌋, where the binomial tree has t_d(P-1)
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   bine.c: the root's bundles have 2^(q-1), .., 2, 1 blocks, at distances |ρ_s|
 *   source       De Sensi et al. 2025, arXiv 2508.17311
 *
 *   P = 8 (P must be a power of two), root 0
 *     round 1    0 -> 3 {2 3 4 5}
 *     round 2    0 -> 7 {6 7}     3 -> 4 {4 5}
 *     round 3    0 -> 1 {1}       3 -> 2 {2}      4 -> 5 {5}      7 -> 6 {6}                                  */
#include "../patterns/bine.h"

static void
scatter_bine_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, parent, step = bine_heard(P, r, &parent);
    struct bundle mine = bundle_of_root(me, in, blocks);

    peal_packet(me, blocks_longest(me, blocks));
    if (r != 0) {
        mine = bundle_with_room(me, bine_subtree(root, P, r, step), blocks, out);
        bundle_recv(me, &mine, mine.span, (parent + root) % P);
    }
    while (--step >= 0) {
        int child = bine_partner(P, r, step);

        bundle_send(me, &mine, bine_subtree(root, P, child, step), (child + root) % P);
    }
    if (r == 0)
        block_copy(me, out, block_of(me, in, blocks, root).data, peal_blocks_words(blocks, root));
}

static void
scatter_bine_cost(struct closed *sum)
{
    closed_bundles(sum);
    bine_closed(sum);
}

const struct peal_algorithm scatter_bine = {
    .collective         = PEAL_SCATTER,
    .name               = "bine",
    .summary            = "a binomial tree that goes both ways round a ring by turns",
    .run.scatter        = scatter_bine_run,
    .needs.power_of_two = true,
    .cost               = scatter_bine_cost,
    .posts              = PEAL_POSTS_ONE,
    .closed_on          = "full ring",
    .texts              = bine_block_texts,
    .optimal            = "α, β on a full network or ring",
    .source             = "De Sensi et al. 2025, arXiv 2508.17311",
};
