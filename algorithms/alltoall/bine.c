/* SPDX-License-Identifier: MIT */
/* All-to-all, bine: exchange half of all blocks with partners on alternating sides, at distances 1, 1, 3, 5, 11, ..
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       log₂P
 *   cost         (α + βmP/2) log₂P on a full network, P = 2^q; on a ring α log₂P + βm(P/2)Σ (d_s+1)/2, d_s = 1, 1, 3,
 *                5, 11, ..: 1 + 1 + 2 + 3 + 6 .. where Bruck's takes 1 + 2 + 4 + 8 + 16 ..
 *   space        5P/2 blocks
 *   derivation   swing.c: after step s a node is responsible for P/2^(s+1) destinations, and holds their blocks of the
 *                2^(s+1) nodes that it has heard of; it sends its partner the blocks of those that the partner keeps.
 *                All blocks lie by destination, in the order of swing.c, so the second half of them is sent
 *   source       De Sensi et al., SC 2025, arXiv 2508.17311 (Bine butterflies; with Swing's partners)
 *
 *   P = 8, even ranks; the odd ones send back as much
 *     round 1    0 -> 1    2 -> 3    4 -> 5    6 -> 7      1 on
 *     round 2    0 -> 7    2 -> 1    4 -> 3    6 -> 5      1 back
 *     round 3    0 -> 3    2 -> 5    4 -> 7    6 -> 1      3 on                                              */
#include "../patterns/lists.h"
#include "../patterns/swing.h"
#include <string.h>

/* The rank that is `offset` from r, up from even ranks and down from odd ones. */
static int
at(int P, int r, int offset)
{
    return (r + (r % 2 == 0 ? offset : P - offset)) % P;
}

static void
alltoall_bine_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                  const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me), *origins = ints_room(me, (size_t)P);
    size_t m = send->words, bytes = m * peal_word_bytes(me), half = bytes * (size_t)(P / 2);
    char *held = peal_scratch(me, m * (size_t)P), *joined = peal_scratch(me, m * (size_t)P);
    char *came = peal_scratch(me, m * (size_t)(P / 2));
    struct swing swing;

    (void)receive;                                       /* blocks of one length */
    peal_packet(me, blocks_longest(me, send));
    swing_init(&swing, P, ints_room(me, (size_t)P), ints_room(me, (size_t)P));
    for (int i = 0; i < P; i++)
        block_copy(me, held + (size_t)i * bytes, block_of(me, in, send, at(P, r, swing.joined[i])).data, m);
    origins[0] = 0;
    for (int s = 0; s < swing.steps; s++) {
        int partner = swing_partner(P, r, s), heard = 1 << s, distance = swing_distance(P, s);
        size_t run = bytes << s;                         /* the blocks for one destination */

        peal_sendrecv(me, (void *)(held + half), m * (size_t)(P / 2), partner, (void *)came, m * (size_t)(P / 2),
                      partner);
        for (size_t i = 0; i * run < half; i++) {
            memcpy(joined + 2 * i * run, held + i * run, run);
            memcpy(joined + 2 * i * run + run, came + i * run, run);
        }
        for (int i = 0; i < heard; i++)                  /* the partner's, seen from here */
            origins[heard + i] = (distance - origins[i] + P) % P;
        char *swap = held;
        held = joined;
        joined = swap;
    }
    for (int i = 0; i < P; i++)
        block_copy(me, block_of(me, out, send, at(P, r, origins[i])).data, held + (size_t)i * bytes, m);
}

static void
alltoall_bine_cost(struct closed *sum)
{
    int P = sum->situation->nodes;

    closed_bundles(sum);
    for (int s = 0; s < ceiling_log2(P); s++)
        swing_closed_shift(sum, swing_distance(P, s), closed_product(sum, closed_words(sum), P / 2));
}

const struct peal_algorithm alltoall_bine = {
    .collective         = PEAL_ALLTOALL,
    .name               = "bine",
    .summary            = "exchange half of the blocks with partners on alternating sides",
    .run.alltoall       = alltoall_bine_run,
    .needs.power_of_two = true,
    .needs.equal_blocks = true,
    .cost               = alltoall_bine_cost,
    .texts              = TEXTS(
        {.on = "full", .alpha = "α log₂P", .beta = "βm(P/2)log₂P", .near = true},
        {.on = "ring", .alpha = "αq", .beta = "βm(P/2)(⌊2P/3⌋+q)/2", .hop = "t_d⌊2P/3⌋", .names = "q = log₂P"},
        {.on = "line", .alpha = "αq", .beta = "βm(P/2)(⌊2P/3⌋+⌊q/2⌋)", .hop = "t_d(2+P(q−1)−⌊2P/3⌋)",
         .names = "q = log₂P"},
        {.on = "hypercube", .alpha = "αq", .beta = "βm(P/2)q", .hop = "t_d(1+q(q−1))", .stored = "βm(P/2)(1+q(q−1))",
         .names = "q = log₂P"}),
    .optimal            = "α; short ways on rings and tori",
    .holds              = 6,
    .lists              = 2,
    .source             = "De Sensi et al., SC 2025, arXiv 2508.17311",
};
