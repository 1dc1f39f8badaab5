/* SPDX-License-Identifier: MIT */
/* All-gather, mesh: a ring in the rows, then a ring of whole rows in the columns; the same in more dimensions.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       Σ(zᵢ-1) over the extents of a mesh or torus; elsewhere the ranks are a grid z₁ x z₂ of them, as square
 *                as P allows
 *   cost         αΣ(zᵢ-1) + βm(P-1), any extents
 *   space        none: blocks arrive in place
 *   derivation   the fastest dimension first, so that a node has the blocks of a span of ranks: z-1 rounds of its span,
 *                which then is z times as long: the sum telescopes to P-1.  Each line of nodes is a ring of its own; on
 *                an open one the message from its end to its beginning runs back over links that no other uses
 *   source       Grama, Gupta, Karypis, Kumar 2003, section 4.2.2
 *
 *   P = 6, mesh 2x3
 *     round 1    0 -> 1 {0}        1 -> 2 {1}        2 -> 0 {2}        3 -> 4 {3}    4 -> 5 {4}    5 -> 3 {5}
 *     round 2    0 -> 1 {2}        1 -> 2 {0}        2 -> 0 {1}        3 -> 4 {5}    4 -> 5 {3}    5 -> 3 {4}
 *     round 3    0 <-> 3 {0 1 2} {3 4 5}             1 <-> 4           2 <-> 5                                 */
#include "../catalog.h"

/* The extents of the network, or of the squarest grid. */
static void
grid_of(struct shape *grid, const struct peal_network *network, int nodes)
{
    shape_of(grid, network, nodes);
    if (grid->kind == SHAPE_MESH || grid->kind == SHAPE_TORUS)
        return;
    grid->dimensions = 2;
    grid->extent[0] = 1;
    for (int z = 2; z <= nodes / z; z++)
        if (nodes % z == 0)
            grid->extent[0] = z;
    grid->extent[1] = grid->stride[0] = nodes / grid->extent[0];
    grid->stride[1] = 1;
}

static void
allgather_mesh_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int r = peal_rank(me);
    struct peal_piece own = block_of(me, out, blocks, r);
    struct shape grid;

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    grid_of(&grid, peal_node_network(me), peal_size(me));
    for (int d = grid.dimensions - 1; d >= 0; d--) {
        int z = grid.extent[d], span = grid.stride[d], c = shape_coordinate(&grid, d, r),
            begin = r / (span * z) * span * z;

        for (int i = 0; i < z - 1; i++) {                /* the spans at coordinates c-i and c-i-1 of my line */
            int sent = begin + (c - i + z) % z * span, got = begin + (c - i - 1 + z) % z * span;

            exchange(me, blocks_of(me, out, blocks, sent, sent + span), r + ((c + 1) % z - c) * span,
                     blocks_of(me, out, blocks, got, got + span), r + ((c - 1 + z) % z - c) * span);
        }
    }
}

/* A round of the rings along dimension d. */
static void
add_round(struct closed *sum, const struct shape *grid, int d, int64_t words)
{
    int z = grid->extent[d];

    switch (grid->kind) {
    case SHAPE_MESH:
    case SHAPE_TORUS:
        closed_add_same(sum, 1, words, shape_hops(grid, d, z - 1, 0));
        return;
    case SHAPE_FULL:
    case SHAPE_LINE:
    case SHAPE_RING:
    case SHAPE_HYPERCUBE:
        if (d == 0 || z == sum->shape.nodes)
            closed_add_shift(sum, grid->stride[d], words); /* whole columns, or one row: no ends but that of the
                                                            * ranks */
        else if (grid->kind == SHAPE_HYPERCUBE)
            closed_add_same(sum, 1, words, ceiling_log2(z)); /* the shift of a smaller cube */
        else
            closed_add_same(sum, 1, words, grid->kind == SHAPE_FULL ? 1 : z - 1);
        return;
    case SHAPE_OTHER:
        sum->known = false;
    }
}

static void
allgather_mesh_cost(struct closed *sum)
{
    struct shape grid;

    grid_of(&grid, sum->situation->network, sum->situation->nodes);
    for (int d = grid.dimensions - 1; d >= 0 && sum->known; d--) {
        if (grid.stride[d] > 1 && grid.extent[d] > 1)
            closed_bundles(sum);
        for (int i = 0; i < grid.extent[d] - 1; i++)
            add_round(sum, &grid, d, closed_product(sum, closed_words(sum), grid.stride[d]));
    }
}

const struct peal_algorithm allgather_mesh = {
    .collective    = PEAL_ALLGATHER,
    .name          = "mesh",
    .summary       = "rings in the rows, then rings of whole rows in the columns",
    .run.allgather = allgather_mesh_run,
    .asks_network  = true,
    .cost          = allgather_mesh_cost,
    .texts         = TEXTS(
        {.on = "full", .alpha = "α(a+b−2)", .beta = "βm(P−1)", .near = true, .names = "a = rows, b = columns"},
        {.on = "mesh", .alpha = "αΣ(zᵢ−1)", .beta = "βm(P−1)", .hop = "t_dΣ(zᵢ−1)²", .stored = "βmΣsᵢ(zᵢ−1)²"},
        {.on = "torus", .alpha = "αΣ(zᵢ−1)", .beta = "βm(P−1)", .near = true},
        {.on = "line", .alpha = "α(a+b−2)", .beta = "βm(b−1+b(P−b))", .hop = "t_d((b−1)²+(a−1)(P−b))",
         .stored = "βm((b−1)²+(a−1)b(b(P−b)−⌊b²/4⌋))", .names = "a = rows, b = columns"},
        {.on = "ring", .alpha = "α(a+b−2)", .beta = "βm(b−1+b(P−b))", .hop = "t_d([1 < a](b−1)²+[a = 1](b−1)+(a−1)b)",
         .stored = "βm([a > 1](b−1)²+[a = 1](b−1)+(a−1)b³)", .names = "a = rows, b = columns"}),
    .optimal       = "β",
    .source        = "Grama et al. 2003, section 4.2.2",
};
