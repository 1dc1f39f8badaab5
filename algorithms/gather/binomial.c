/* SPDX-License-Identifier: MIT */
/* Gather, binomial: pairs join their blocks, then pairs of pairs, and so on up to the root: scatter/binomial backwards.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉ + βm(P-1), any P, root 0 on lines and meshes too (see binomial.c)
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   the transfers of the scatter in the opposite order and direction: each has the same words and hops,
 *                and shares its links, now the other way, with as few
 *   source       Grama, Gupta, Karypis, Kumar 2003, section 4.4
 *
 *   P = 6, root 0
 *     round 1    1 -> 0 {1}     3 -> 2 {3}     5 -> 4 {5}
 *     round 2    2 -> 0 {2 3}
 *     round 3    4 -> 0 {4 5}                                                                               */
#include "../patterns/binomial.h"

static void
gather_binomial_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P; /* ranks as seen from the root */
    int reach = r == 0 ? P : r & -r;                           /* this many blocks come together here, if they exist */
    struct bundle mine;

    peal_packet(me, blocks_longest(me, blocks));
    if (r == 0) {
        mine = bundle_of_root(me, out, blocks);
        block_copy(me, block_of(me, out, blocks, root).data, in, peal_blocks_words(blocks, root));
    } else {
        mine = bundle_with_room(me, span_from(root, P, r, r + reach < P ? r + reach : P), blocks, in);
    }
    for (int mask = 1; mask < P; mask <<= 1) {
        int partner = r ^ mask, end = partner + mask < P ? partner + mask : P;

        if (r & mask) {                                  /* my blocks r .. end-1 are together */
            bundle_send(me, &mine, mine.span, (partner + root) % P);
            break;
        } else if (partner < P) {
            bundle_recv(me, &mine, span_from(root, P, partner, end), (partner + root) % P);
        }
    }
}

const struct peal_algorithm gather_binomial = {
    .collective  = PEAL_GATHER,
    .name        = "binomial",
    .summary     = "join the blocks of pairs, then of pairs of pairs, up to the root",
    .run.gather  = gather_binomial_run,
    .costs_as    = &scatter_binomial,
    .texts       = binomial_block_texts,
    .optimal     = "α, β",
    .source      = "Grama et al. 2003, section 4.4",
};
