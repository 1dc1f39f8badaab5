/* SPDX-License-Identifier: MIT */
/* All-gather, neighbour-exchange: exchange the two newest blocks with the neighbours on either side alternately.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       P/2
 *   cost         αP/2 + βm(P-1), P even; on a line βm(P-1 + 2⌊P/4⌋)
 *   space        none: blocks arrive in place
 *   derivation   after the first round a pair of nodes has the two blocks of the pair; then the blocks of pair a go
 *                outwards, a pair a round in both directions: 1 + 2(P/2-1) blocks.  On a ring all messages go one hop.
 *                On a line the ends exchange in even rounds, over all links, every other of which has messages of its
 *                own: 2⌊P/4⌋ more.  On a hypercube messages up (from x01..1 to x10..0) and down have zeros and ones
 *                after the bit of every link but their first: no link is shared
 *   source       Chen, Zhang, Zhang, Yuan, "Performance evaluation of allgather algorithms on terascale Linux cluster
 *                with fast Ethernet", 2005
 *
 *   P = 6
 *     round 1    0 <-> 1 {0} {1}        2 <-> 3 {2} {3}          4 <-> 5 {4} {5}
 *     round 2    1 <-> 2 {0 1} {2 3}    3 <-> 4 {2 3} {4 5}      5 <-> 0 {4 5} {0 1}
 *     round 3    0 <-> 1 {4 5} {2 3}    2 <-> 3 {0 1} {4 5}      4 <-> 5 {2 3} {0 1}                          */
#include "../catalog.h"

/* The newest blocks of node r when round i + 1 begins: the pair 2p, 2p+1.  i-1 pairs have come, from both sides
 * alternately. */
static struct peal_piece
came_last(const struct peal_node *me, void *out, const struct peal_blocks *blocks, int r, int i)
{
    int pairs = peal_size(me) / 2, t = i / 2;
    int away = i % 2 == 1 ? t : -t;                      /* upwards, as an even node sees it */
    int p = (r / 2 + (r % 2 == 0 ? away : -away) + pairs) % pairs;

    return blocks_of(me, out, blocks, 2 * p, 2 * p + 2);
}

static void
allgather_neighbour_exchange_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, out, blocks, r);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    if (P > 1)
        exchange(me, own, r ^ 1, block_of(me, out, blocks, r ^ 1), r ^ 1);
    for (int i = 1; i < P / 2; i++) {
        int partner = r % 2 == i % 2 ? (r + 1) % P : (r - 1 + P) % P;

        exchange(me, came_last(me, out, blocks, r, i), partner, came_last(me, out, blocks, partner, i), partner);
    }
}

/* Add rounds within the pairs 2a, 2a+1, or between those and the next. */
static void
add_rounds(struct closed *sum, int rounds, bool between, int64_t words)
{
    const struct shape *shape = &sum->shape;
    int P = shape->nodes;

    switch (shape->kind) {
    case SHAPE_FULL:
    case SHAPE_RING:
        closed_add_same(sum, rounds, words, 1);
        return;
    case SHAPE_HYPERCUBE:
        closed_add_same(sum, rounds, words, between ? ceiling_log2(P) : 1);
        return;
    case SHAPE_LINE: /* its words on a link; under store-forward, P/2 links of one message and P/2-1 of two */
        if (between)
            closed_add(sum, rounds, closed_product(sum, words, 2), P - 1,
                       closed_product(sum, words, P / 2 + 2 * (P / 2 - 1)));
        else
            closed_add_same(sum, rounds, words, 1);
        return;
    case SHAPE_TORUS: /* up and down have links of their own where rings have more than two nodes; even rows */
        for (int d = 0; d < shape->dimensions; d++)
            if (shape->extent[d] < 3 || (d == shape->dimensions - 1 && shape->extent[d] % 2 != 0))
                sum->known = false;
        closed_add_same(sum, rounds, words, between ? shape->dimensions : 1);
        return;
    case SHAPE_MESH:
    case SHAPE_OTHER:
        sum->known = false;
    }
}

static void
allgather_neighbour_exchange_cost(struct closed *sum)
{
    int P = sum->situation->nodes;

    closed_bundles(sum);
    if (P > 1)
        add_rounds(sum, 1, false, closed_words(sum));
    if (P > 2) {
        add_rounds(sum, P / 4, true, closed_product(sum, closed_words(sum), 2));
        add_rounds(sum, P / 2 - 1 - P / 4, false, closed_product(sum, closed_words(sum), 2));
    }
}

const struct peal_algorithm allgather_neighbour_exchange = {
    .collective    = PEAL_ALLGATHER,
    .name          = "neighbour-exchange",
    .summary       = "exchange the two blocks that came last, with either neighbour by turns",
    .run.allgather = allgather_neighbour_exchange_run,
    .needs.even    = true,
    .cost          = allgather_neighbour_exchange_cost,
    .closed_on     = "full line ring torus hypercube",
    .texts         = TEXTS(
        {.on = "full ring", .alpha = "αP/2", .beta = "βm(P−1)", .near = true},
        {.on = "hypercube", .alpha = "αP/2", .beta = "βm(P−1)", .hop = "t_d(P/4)(1+log₂P)",
         .stored = "βm((P/2)(1+log₂P)−1)"},
        {.on = "line", .alpha = "αP/2", .beta = "βm(P−1+2⌊P/4⌋)", .hop = "t_d(P/2+⌊P/4⌋(P−2))",
         .stored = "βm(P−1+3⌊P/4⌋(P−2))"},
        {.on = "torus", .alpha = "αP/2", .beta = "βm(P−1)", .hop = "t_d(P/2+⌊P/4⌋(d−1))",
         .stored = "βm(P−1+2⌊P/4⌋(d−1))"}),
    .optimal       = "β",
    .source        = "Chen et al. 2005",
};
