/* SPDX-License-Identifier: MIT */
/* All-gather, pair: every node exchanges its block with every other node: in round i with rank ^ i.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       P-1
 *   cost         (P-1)(α + βm), P = 2^q; on a line βm(P²-1)/3
 *   space        none: blocks arrive in place
 *   derivation   the values 1 .. P-1 of i name every other node once.  On a line the exchange by i puts h messages on
 *                one link, h the top bit of i: Σ h² over the q bits
 *   source       pairwise exchange; SimGrid's all-gather "pair"
 *
 *   P = 4
 *     round 1    0 <-> 1    2 <-> 3
 *     round 2    0 <-> 2    1 <-> 3
 *     round 3    0 <-> 3    1 <-> 2                                                                         */
#include "../catalog.h"

static void
allgather_pair_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, out, blocks, r);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (int i = 1; i < P; i++)
        exchange(me, own, r ^ i, block_of(me, out, blocks, r ^ i), r ^ i);
}

static void
allgather_pair_cost(struct closed *sum)
{
    if (sum->shape.kind == SHAPE_FULL)
        closed_add_full(sum, sum->situation->nodes - 1, closed_words(sum));
    for (int i = 1; sum->shape.kind != SHAPE_FULL && i < sum->situation->nodes && sum->known; i++)
        closed_add_xor(sum, i, closed_words(sum));
}

const struct peal_algorithm allgather_pair = {
    .collective         = PEAL_ALLGATHER,
    .name               = "pair",
    .summary            = "exchange the own block with every other node, rank ^ i in round i",
    .run.allgather      = allgather_pair_run,
    .needs.power_of_two = true,
    .cost               = allgather_pair_cost,
    .texts              = xors_texts,
    .optimal            = "β",
    .lists              = 2,
    .source             = "pairwise exchange",
};
