/* SPDX-License-Identifier: MIT */
/* All-gather, sparbit: Bruck's tree from its top, far messages of few blocks first.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉ + βm(P-1), any P; on a line or ring βmΣ ⌈(P-d)/2d⌉·min(d, P-d) over d = 2^(q-1), .., 2, 1:
 *                qP/2 for P = 2^q
 *   space        16 bytes a block: the list of the blocks of a message
 *   derivation   block i goes over i+x by the lowest set bit of x: before the round of d it is at all x that are
 *                multiples of 2d, and goes on to x+d, as long as that is below P.  Each block comes to each node once:
 *                P-1.  A round is a cyclic shift by d of as many blocks as there are such x
 *   source       Loch and Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI allgather algorithm",
 *                2021; the same as PAT (allgather/pat) with messages of any length
 *
 *   P = 5
 *     round 1    0 -> 4 {0}       1 -> 0 {1}       2 -> 1 {2}       3 -> 2 {3}       4 -> 3 {4}
 *     round 2    0 -> 2 {0}       1 -> 3 {1}       2 -> 4 {2}       3 -> 0 {3}       4 -> 1 {4}
 *     round 3    0 -> 1 {0 3}     1 -> 2 {1 4}     2 -> 3 {2 0}     3 -> 4 {3 1}     4 -> 0 {4 2}             */
#include "../patterns/lists.h"

static void
allgather_sparbit_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, out, blocks, r);
    struct list x = list_with_room(me, (P + 1) / 2), y = list_with_room(me, (P + 1) / 2);

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (int d = 1 << ceiling_log2(P) >> 1; d >= 1; d >>= 1) {
        x.count = y.count = 0;
        for (int i = 0; i < P - d; i += 2 * d) {
            list_add(&x, block_of(me, out, blocks, r - i));
            list_add(&y, block_of(me, out, blocks, r - d - i));
        }
        exchange_pieces(me, x.pieces, x.count, (r + d) % P, y.pieces, y.count, (r - d + P) % P);
    }
}

static void
allgather_sparbit_cost(struct closed *sum)
{
    int P = sum->situation->nodes;

    if (P > 3)
        closed_bundles(sum);
    for (int d = 1 << ceiling_log2(P) >> 1; d >= 1; d >>= 1)
        closed_add_shift(sum, d, closed_product(sum, closed_words(sum), (P - d - 1) / (2 * d) + 1));
}

/* d = 2^j: ⌈(P-d)/2d⌉ blocks, min(d, P-d) messages on a link, P-d hops for those that wrap on a line. On a hypercube
 * the carry runs through q-j bits. On a grid it runs from a dimension through all slower ones. */
const struct peal_algorithm allgather_sparbit = {
    .collective    = PEAL_ALLGATHER,
    .name          = "sparbit",
    .summary       = "Bruck's tree from its top: far messages of few blocks first",
    .run.allgather = allgather_sparbit_run,
    .cost          = allgather_sparbit_cost,
    .texts         = TEXTS(
        {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .near = true},
        {.on = "hypercube", .alpha = "αq", .beta = "βm(P−1)", .hop = "t_dq(q+1)/2", .stored = "βm(P(q−1)+1)",
         .names = "q = log₂P"},
        {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P/2)log₂P", .hop = "t_d(P log₂P−P+1)",
         .stored = "βmP(4P log₂P−5P+6)/8"},
        {.on = "ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βm(P/2)log₂P", .hop = "t_d(P−1)",
         .stored = "βmP(P−1)/2"},
        {.on = "line", .alpha = "αq", .beta = "βmΣ_{j=0..q−1}⌈(P−2^j)/2^(j+1)⌉min(2^j, P−2^j)", .hop = "t_d(P(q−1)+1)",
         .names = "q = ⌈log₂P⌉"},
        {.on = "ring", .alpha = "αq", .beta = "βmΣ_{j=0..q−1}⌈(P−2^j)/2^(j+1)⌉min(2^j, P−2^j)", .hop = "t_d(P−1)",
         .names = "q = ⌈log₂P⌉"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P/2)Σ(log₂zᵢ)/sᵢ",
         .hop = "t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)(log₂sᵢ−1))"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P/2)Σ(log₂zᵢ)/sᵢ",
         .hop = "t_dΣ(zᵢ−1+log₂sᵢ)"}),
    .optimal       = "α, β",
    .lists         = 6,
    .source        = "Loch and Koslovski 2021",
};
