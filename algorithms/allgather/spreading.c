/* SPDX-License-Identifier: MIT */
/* All-gather, spreading: every node sends its own block to all others, in round i to the node i ranks on.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       P-1
 *   cost         (P-1)(α + βm), any P; on a line or ring βm⌊P²/4⌋
 *   space        none: blocks arrive in place
 *   derivation   P-1 cyclic shifts of a block, by 1 .. P-1; on a line or ring Σ min(i, P-i) = ⌊P²/4⌋
 *   source       direct exchange: MPI's "spread" all-gathers; it is a shift all-to-all of equal blocks
 *
 *   P = 5
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4    4 -> 0
 *     round 2    0 -> 2    1 -> 3    2 -> 4    3 -> 0    4 -> 1
 *     round 3    0 -> 3    1 -> 4    2 -> 0    3 -> 1    4 -> 2
 *     round 4    0 -> 4    1 -> 0    2 -> 1    3 -> 2    4 -> 3                                             */
#include "../catalog.h"

static void
allgather_spreading_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, out, blocks, r);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (int i = 1; i < P; i++)
        exchange(me, own, (r + i) % P, block_of(me, out, blocks, r - i), (r - i + P) % P);
}

static void
allgather_spreading_cost(struct closed *sum)
{
    if (sum->shape.kind == SHAPE_FULL)
        closed_add_full(sum, sum->situation->nodes - 1, closed_words(sum));
    for (int i = 1; sum->shape.kind != SHAPE_FULL && i < sum->situation->nodes && sum->known; i++)
        closed_add_shift(sum, i, closed_words(sum));
}

const struct peal_algorithm allgather_spreading = {
    .collective    = PEAL_ALLGATHER,
    .name          = "spreading",
    .summary       = "every node sends its own block to all others, i ranks on in round i",
    .run.allgather = allgather_spreading_run,
    .cost          = allgather_spreading_cost,
    .texts         = shifts_texts,
    .optimal       = "β",
    .lists         = 2,
    .source        = "direct exchange by cyclic shifts",
};
