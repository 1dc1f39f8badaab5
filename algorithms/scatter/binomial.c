/* SPDX-License-Identifier: MIT */
/* Scatter, binomial: halve the nodes, give the far half its blocks, and do the same in both halves at once.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉ + βm(P-1), any P, root 0 on lines and meshes too (see binomial.c)
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   a range that is given away is no longer than the root's own at that time, so the root's message is the
 *                longest of its round; its messages are all blocks but its own, each once: P-1
 *   source       Grama, Gupta, Karypis, Kumar 2003, section 4.4 and equation 4.6
 *
 *   P = 6, root 0
 *     round 1    0 -> 4 {4 5}
 *     round 2    0 -> 2 {2 3}
 *     round 3    0 -> 1 {1}     2 -> 3 {3}     4 -> 5 {5}
 *   In round 2 node 4 has its packets and no partner, and rests: all nodes end in the same round.          */
#include "../patterns/binomial.h"

static void
scatter_binomial_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P; /* ranks as seen from the root */
    int mask = r == 0 ? 1 << ceiling_log2(P) >> 1 : r & -r;    /* how far I send first; how far from me they come */
    struct bundle mine;

    peal_packet(me, blocks_longest(me, blocks));
    if (r == 0) {
        mine = bundle_of_root(me, in, blocks);
    } else {                                             /* my turn to get mine and those of the mask-1 after me */
        mine = bundle_with_room(me, span_from(root, P, r, r + mask < P ? r + mask : P), blocks, out);
        bundle_recv(me, &mine, mine.span, (r - mask + root) % P);
        mask >>= 1;
    }
    for (; mask >= 1; mask >>= 1) {                      /* I hold the blocks of r .. end-1 */
        int partner = r + mask, end = partner + mask < P ? partner + mask : P;

        if (partner < P)
            bundle_send(me, &mine, span_from(root, P, partner, end), (partner + root) % P);
        else
            peal_next_round(me);
    }
    if (r == 0)
        block_copy(me, out, block_of(me, in, blocks, root).data, peal_blocks_words(blocks, root));
}

static void
scatter_binomial_cost(struct closed *sum)
{
    if (sum->situation->nodes > 3)
        closed_bundles(sum);                               /* the first bundle has more than one block: it is refused */
    binomial_closed(sum, CARRIES_BUNDLE);
}

const struct peal_algorithm scatter_binomial = {
    .collective  = PEAL_SCATTER,
    .name        = "binomial",
    .summary     = "halve the nodes, the largest bundles first",
    .run.scatter = scatter_binomial_run,
    .cost        = scatter_binomial_cost,
    .posts       = PEAL_POSTS_ONE,
    .texts       = binomial_block_texts,
    .optimal     = "α, β",
    .source      = "Grama et al. 2003, section 4.4, equation 4.6",
};
