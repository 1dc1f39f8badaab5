/* SPDX-License-Identifier: MIT */
/* All-gather, circulant: for each skip of the circulant graph, from small to large, fetch the blocks that begin that
 * far ahead.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       q = ⌈log₂P⌉
 *   cost         αq + βm(P-1), any P; on a line or ring βmΣ (s_{k+1}-s_k)·min(s_k, P-s_k)
 *   space        none: blocks arrive in place
 *   derivation   skips s_q = P, s_k = ⌈s_{k+1}/2⌉, s_0 = 1.  Before round k+1 a node has the s_k blocks from its own
 *                on, and gets the next s_{k+1}-s_k <= s_k of them from the node s_k ahead: in all s_q - s_0.  A round
 *                is a cyclic shift
 *   source       J. L. Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234
 *
 *   P = 6, skips 1 2 3
 *     round 1    0 -> 5 {0}        1 -> 0 {1}        2 -> 1 {2}        3 -> 2 {3}        ..
 *     round 2    0 -> 4 {0}        1 -> 5 {1}        2 -> 0 {2}        3 -> 1 {3}        ..
 *     round 3    0 -> 3 {0 1 2}    1 -> 4 {1 2 3}    2 -> 5 {2 3 4}    3 -> 0 {3 4 5}    ..                   */
#include "../patterns/circulant.h"

static void
allgather_circulant_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me), s[CIRCULANT_SKIPS], q = circulant_skips(P, s);
    struct peal_piece own = block_of(me, out, blocks, r), x[2], y[2];

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (int k = 0; k < q; k++) {
        int count = s[k + 1] - s[k], sent = blocks_round(me, out, blocks, r, count, x);

        exchange_pieces(me, x, sent, (r - s[k] + P) % P, y, blocks_round(me, out, blocks, r + s[k] - P, count, y),
                        (r + s[k]) % P);
    }
}

static void
allgather_circulant_cost(struct closed *sum)
{
    int P = sum->situation->nodes, s[CIRCULANT_SKIPS], q = circulant_skips(P, s);

    if (P > 3)
        closed_bundles(sum);
    for (int k = 0; k < q; k++)
        closed_add_shift(sum, P - s[k], closed_product(sum, closed_words(sum), s[k + 1] - s[k]));
}

const struct peal_algorithm allgather_circulant = {
    .collective    = PEAL_ALLGATHER,
    .name          = "circulant",
    .summary       = "fetch the blocks that begin each skip of the circulant graph ahead, small skips first",
    .run.allgather = allgather_circulant_run,
    .cost          = allgather_circulant_cost,
    .texts         = circulant_block_texts,
    .optimal       = "α, β",
    .source        = "Träff, arXiv 2410.14234",
};
