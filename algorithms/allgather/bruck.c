/* SPDX-License-Identifier: MIT */
/* All-gather, bruck: every node fetches, from as far ahead as it has blocks, as many again; k times as many with k
 * ports.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       ⌈log_{k+1} P⌉ with k ports
 *   cost         α⌈log_{k+1} P⌉ + βm⌈(P-1)/k⌉, any P; k = 1 on a line or ring: βmΣ min(c, P-c)², c = 1, 2, 4, ..
 *   space        none: blocks arrive in place
 *   derivation   with c blocks r .. r+c-1 a node gets the next c from each of the nodes c, 2c, .. kc ahead; in the last
 *                round the P-c that are missing, evenly cut.  c-1 is a multiple of k until then, so the sum of the
 *                longest messages is ⌈(P-1)/k⌉.  With one port a round is a cyclic shift by -c
 *   source       Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997
 *
 *   P = 5, one port
 *     round 1    0 -> 4 {0}      1 -> 0 {1}      2 -> 1 {2}      3 -> 2 {3}      4 -> 3 {4}
 *     round 2    0 -> 3 {0 1}    1 -> 4 {1 2}    2 -> 0 {2 3}    3 -> 1 {3 4}    4 -> 2 {4 0}
 *     round 3    0 -> 1 {0}      1 -> 2 {1}      2 -> 3 {2}      3 -> 4 {3}      4 -> 0 {4}                   */
#include "../catalog.h"

/* With c blocks on every node: how many each has after the round, and how many of them come in one message. */
static int
after_round(int P, int c, int k, int *width)
{
    int end = c <= (P - 1) / (k + 1) ? c * (k + 1) : P;

    *width = (end - c + k - 1) / k;
    return end;
}

static void
allgather_bruck_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me), k = peal_parameter(me) > 0 ? peal_parameter(me) : 1, end, width;
    struct peal_piece own = block_of(me, out, blocks, r), x[2], y[2];

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (int c = 1; c < P; c = end) {
        end = after_round(P, c, k, &width);
        for (int a = c; a < end; a += width) {           /* the blocks a .. a+count-1 ahead */
            int count = end - a < width ? end - a : width;

            peal_sendv_async(me, x, blocks_round(me, out, blocks, r, count, x), (r - a + P) % P);
            peal_recvv_async(me, y, blocks_round(me, out, blocks, r + a - P, count, y), (r + a) % P);
        }
        peal_wait_all(me);
    }
}

static void
allgather_bruck_cost(struct closed *sum)
{
    int P = sum->situation->nodes, k = peal_algorithm_parameter(&allgather_bruck, sum->situation), end, width;

    if (P > 2 && k < P - 1)
        closed_bundles(sum);
    if (k > closed_ports(sum->situation) || (k > 1 && sum->situation->half_duplex))
        sum->known = false;
    for (int c = 1; c < P; c = end) {
        end = after_round(P, c, k, &width);
        if (k == 1)
            closed_add_shift(sum, P - c, closed_product(sum, closed_words(sum), width));
        else
            closed_add_full(sum, 1, closed_product(sum, closed_words(sum), width));
    }
}

/* c = 1, 2, 4, ..: min(c, P-c) blocks and as many messages on a link; hops and carries as in all-gather/sparbit. */
const struct peal_algorithm allgather_bruck = {
    .collective    = PEAL_ALLGATHER,
    .name          = "bruck",
    .summary       = "fetch as many blocks as there are from as far ahead, k times with k ports",
    .run.allgather = allgather_bruck_run,
    .parameter     = {.name = "messages a node sends in a round", .least = 1, .choose = closed_ports},
    .asks_ports    = true,
    .cost          = allgather_bruck_cost,
    .texts         = TEXTS(
        {.on = "full", .alpha = "α⌈log_{K+1}P⌉", .beta = "βm⌈(P−1)/K⌉", .near = true, .names = "K = parameter"},
        {.on = "hypercube", .alpha = "αq", .beta = "βm(P−1)", .hop = "t_dq(q+1)/2", .stored = "βm(2P−q−2)",
         .names = "q = log₂P"},
        {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P²−1)/3", .hop = "t_d(P log₂P−P+1)",
         .stored = "βm(13P³−28P+36)/84"},
        {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P²−1)/3", .hop = "t_d(P−1)",
         .stored = "βm(P³−1)/7"},
        {.on = "line", .alpha = "αq", .beta = "βm((P−h)²+(h²−1)/3)", .hop = "t_d(P(q−1)+1)",
         .names = "q = ⌈log₂P⌉, h = 2^(q−1)"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βm((P−h)²+(h²−1)/3)", .hop = "t_d(P−1)",
         .names = "h = 2^(⌈log₂P⌉−1)"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βmΣsᵢ(zᵢ²−1)/3",
         .hop = "t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)(log₂sᵢ−1))"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βmΣsᵢ(zᵢ²−1)/3", .hop = "t_dΣ(zᵢ−1+log₂sᵢ)"}),
    .optimal       = "α, β",
    .source        = "Bruck et al., IEEE TPDS 8(11), 1997",
};
