/* SPDX-License-Identifier: MIT */
/* All-to-all, mesh: all blocks go round their row to the column of their destination, then round that column to it.
 *
 *   before       node i has P blocks, block j for node j; a rows of b nodes
 *   after        node j has P blocks, block i from node i
 *   rounds       a+b-2
 *   cost         (a+b-2)α + βm(ab(b-1)/2 + ab(a-1)/2); on a square (√P-1)(2α + βmP)
 *   space        4P blocks
 *   derivation   all-to-all/ring in rows with a blocks a node, then in columns with b blocks a node.  The message from
 *                the end of a row or column goes against the others: no link is shared, nor on an open mesh
 *   source       Grama et al. 2003, section 4.5.2
 *
 *   P = 4: 2 rows of 2
 *     round 1    0 -> 1 {1 3}    1 -> 0 {0 2}    2 -> 3 {1 3}    3 -> 2 {0 2}
 *     round 2    0 -> 2 {2}      1 -> 3 {3}      2 -> 0 {0}      3 -> 1 {1}
 *   In round 2 each block {j} is two: one of each node of the row.                                          */
#include "../patterns/forward.h"

/* Turn `rows` rows of `columns` units round. */
static void
turn(const struct peal_node *me, const void *x, const struct peal_blocks *blocks, int rows, int columns, void *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            struct peal_piece from = block_of(me, x, blocks, i * columns + j);
            block_copy(me, block_of(me, y, blocks, j * rows + i).data, from.data, from.words);
        }
}

static void
alltoall_mesh_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                  const struct peal_blocks *receive)
{
    struct matrix matrix = matrix_of_node(me);
    int a = matrix.rows, b = matrix.columns, i = peal_rank(me) / b, j = peal_rank(me) % b;
    struct line row = {.length = b, .place = j, .left = i * b + (j - 1 + b) % b, .right = i * b + (j + 1) % b};
    struct line column = {.length = a, .place = i, .left = (i - 1 + a) % a * b + j, .right = (i + 1) % a * b + j};
    size_t m = blocks_longest(me, send), n = blocks_all(me, send);
    void *x = peal_scratch(me, n), *y = peal_scratch(me, n);

    (void)receive;                                       /* blocks of one length */
    peal_packet(me, m);
    turn(me, in, send, a, b, x);                         /* by column of the destination */
    forward_round(me, &row, x, m * (size_t)a, y);        /* by column of the source */
    turn(me, y, send, b, a, x);                          /* by row of the destination */
    forward_round(me, &column, x, m * (size_t)b, out);
}

static void
alltoall_mesh_cost(struct closed *sum)
{
    struct matrix matrix = matrix_of(sum->situation->network, sum->situation->nodes);
    struct shape whole;
    int64_t m;

    closed_bundles(sum);
    m = closed_words(sum);
    closed_rows(sum, matrix, &whole);
    for (int i = matrix.columns - 1; i >= 1 && sum->known; i--)
        closed_add_shift(sum, 1, closed_product(sum, closed_product(sum, m, matrix.rows), i));
    sum->shape = whole;
    for (int i = matrix.rows - 1; i >= 1 && sum->known; i--)
        closed_add_shift(sum, matrix.columns, closed_product(sum, closed_product(sum, m, matrix.columns), i));
}

const struct peal_algorithm alltoall_mesh = {
    .collective         = PEAL_ALLTOALL,
    .name               = "mesh",
    .summary            = "round every row to the right column, then round every column",
    .run.alltoall       = alltoall_mesh_run,
    .needs.equal_blocks = true,
    .asks_network       = true,
    .cost               = alltoall_mesh_cost,
    .texts              = TEXTS(
        {.on = "full", .alpha = "α(a+b−2)", .beta = "βm(P/2)(a+b−2)", .near = true, .names = "a = rows, b = columns"},
        {.on = "mesh", .alpha = "α(a+b−2)", .beta = "βm(P/2)(a+b−2)", .hop = "t_d((b−1)²+(a−1)(Σ(zᵢ−1)−b+1))",
         .stored = "βm(P/2)((b−1)²+(a−1)(Σ(zᵢ−1)−b+1))", .names = "a = rows, b = columns"},
        {.on = "torus", .alpha = "α(a+b−2)", .beta = "βm(P/2)(a+b−2)", .hop = "t_d(b−1+(a−1)(Σ[zᵢ > 1]−[b > 1]))",
         .stored = "βm(P/2)(b−1+(a−1)(Σ[zᵢ > 1]−[b > 1]))", .names = "a = rows, b = columns"},
        {.on = "hypercube", .alpha = "α(a+b−2)", .beta = "βm(P/2)(a+b−2)", .hop = "t_d((b−1)log₂b+(a−1)log₂a)",
         .stored = "βm(P/2)((b−1)log₂b+(a−1)log₂a)", .names = "a = rows, b = columns"},
        {.on = "line", .alpha = "α(a+b−2)", .beta = "βm(P/2)(b−1+b(a−1))", .hop = "t_d((b−1)²+(a−1)(P−b))",
         .stored = "βm(P/2)((b−1)²+(a−1)(b(P−b)−⌊b²/4⌋))", .names = "a = rows, b = columns"},
        {.on = "ring", .alpha = "α(a+b−2)", .beta = "βm(P/2)(b−1+b(a−1))",
         .hop = "t_d([a > 1](b−1)²+[a = 1](b−1)+(a−1)b)", .stored = "βm(P/2)([a > 1](b−1)²+[a = 1](b−1)+(a−1)b²)",
         .names = "a = rows, b = columns"}),
    .optimal            = "β within 2 on a square mesh",
    .holds              = 12,
    .source             = "Grama et al. 2003, section 4.5.2",
};
