/* SPDX-License-Identifier: MIT */
/* All-to-all, mesh-shift: shifts in every row bring all blocks to their destination's column, shifts in every column to
 * their node.
 *
 *   before       node i has P blocks, block j for node j; a rows of b nodes
 *   after        node j has P blocks, block i from node i
 *   rounds       a+b-2
 *   cost         (a+b-2)α + βm(a(b-1) + b(a-1)) on a full network; on a mesh βm(a⌊b²/4⌋ + b⌊a²/4⌋)
 *   space        P blocks, a list of a pieces; 2P short blocks, which are sent from their places
 *   derivation   round s of the first phase sends, s columns on in the row, the a blocks for that column's nodes; round
 *                s of the second, s rows on, the b blocks that the nodes of the row had for that one.  In between,
 *                block i'b + j'' is from column j'' for row i'.  Columns are shifts by s·b ranks
 *   source       Grama et al. 2003, section 4.5.2, with shifts in rows and columns
 *
 *   P = 6: 2 rows of 3
 *     round 1    0 -> 1 {1 4}    1 -> 2 {2 5}    2 -> 0 {0 3}    3 -> 4 {1 4}    4 -> 5 {2 5}    5 -> 3 {0 3}
 *     round 2    0 -> 2 {2 5}    1 -> 0 {0 3}    2 -> 1 {1 4}    3 -> 5 {2 5}    4 -> 3 {0 3}    5 -> 4 {1 4}
 *     round 3    0 -> 3 {3}      1 -> 4 {4}      2 -> 5 {5}      3 -> 0 {0}      4 -> 1 {1}      5 -> 2 {2}
 *   In round 3 each block {j} is three: one of each node of the row.                                        */
#include "../patterns/forward.h"
#include "../patterns/lists.h"

/* List the blocks of column j. */
static struct peal_piece *
column(const struct peal_node *me, struct matrix matrix, const void *x, const struct peal_blocks *blocks, int j,
       struct peal_piece *pieces)
{
    for (int i = 0; i < matrix.rows; i++)
        pieces[i] = block_of(me, x, blocks, i * matrix.columns + j);
    return pieces;
}

/* The blocks of row i. */
static struct peal_piece
row(const struct peal_node *me, struct matrix matrix, const void *x, const struct peal_blocks *blocks, int i)
{
    return blocks_of(me, x, blocks, i * matrix.columns, (i + 1) * matrix.columns);
}

/* Bring the blocks for the nodes of my row's columns together, those of one column after the other: lists of pieces. */
static void
shift_lists(struct peal_node *me, struct matrix matrix, const void *in, const struct peal_blocks *blocks, void *between)
{
    int a = matrix.rows, b = matrix.columns, i = peal_rank(me) / b, j = peal_rank(me) % b;
    struct peal_piece *x = pieces_room(me, a), *y = pieces_room(me, a);

    column(me, matrix, in, blocks, j, x);
    column(me, matrix, between, blocks, j, y);
    for (int k = 0; k < a; k++)
        block_copy(me, y[k].data, x[k].data, x[k].words);
    for (int s = 1; s < b; s++) {
        int to = (j + s) % b, from = (j - s + b) % b;

        exchange_pieces(me, column(me, matrix, in, blocks, to, x), a, i * b + to,
                        column(me, matrix, between, blocks, from, y), a, i * b + from);
    }
}

enum { CLOSE = 16 << 10 }; /* bytes that the nearest cache holds twice */

/* Write rows x columns blocks column by column. */
static void
transpose(const struct peal_node *me, const void *in, int rows, int columns, size_t m, void *out)
{
    size_t bytes = m * peal_word_bytes(me), all = (size_t)rows * (size_t)columns * bytes;

    for (size_t at = 0; at < all && at < CLOSE; at += 64) { /* a line of the cache */
        __builtin_prefetch((const char *)in + at);
        __builtin_prefetch((char *)out + at, 1);
    }
    for (int j = 0; j < columns; j++)
        copy_strided((char *)out + (size_t)(j * rows) * bytes, bytes, (const char *)in + (size_t)j * bytes,
                     (size_t)columns * bytes, bytes, (size_t)rows);
}

/* The shift along columns for short blocks, which lie column by column while they travel. */
static void
shift_columns(struct peal_node *me, struct matrix matrix, const void *in, const struct peal_blocks *blocks,
              void *between)
{
    int a = matrix.rows, b = matrix.columns, i = peal_rank(me) / b, j = peal_rank(me) % b;
    void *x = between, *y = peal_scratch(me, blocks_all(me, blocks));
    size_t m = blocks->words;

    transpose(me, in, a, b, m, x);
    block_copy(me, blocks_of(me, y, blocks, j * a, (j + 1) * a).data, blocks_of(me, x, blocks, j * a, (j + 1) * a).data,
               (size_t)a * m);
    for (int s = 1; s < b; s++) {
        int to = (j + s) % b, from = (j - s + b) % b;

        exchange(me, blocks_of(me, x, blocks, to * a, (to + 1) * a), i * b + to,
                 blocks_of(me, y, blocks, from * a, (from + 1) * a), i * b + from);
    }
    transpose(me, y, b, a, m, between);
}

static void
alltoall_mesh_shift_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                        const struct peal_blocks *receive)
{
    struct matrix matrix = matrix_of_node(me);
    int a = matrix.rows, b = matrix.columns, i = peal_rank(me) / b, j = peal_rank(me) % b;
    void *between = peal_scratch(me, blocks_all(me, send));

    (void)receive;                                       /* blocks of one length */
    peal_packet(me, blocks_longest(me, send));
    if (blocks_are_short(me, send))
        shift_columns(me, matrix, in, send, between);
    else
        shift_lists(me, matrix, in, send, between);
    block_copy(me, row(me, matrix, out, send, i).data, row(me, matrix, between, send, i).data,
               row(me, matrix, out, send, i).words);
    for (int s = 1; s < a; s++) {
        int to = (i + s) % a, from = (i - s + a) % a;

        exchange(me, row(me, matrix, between, send, to), to * b + j, row(me, matrix, out, send, from), from * b + j);
    }
}

static void
alltoall_mesh_shift_cost(struct closed *sum)
{
    struct matrix matrix = matrix_of(sum->situation->network, sum->situation->nodes);
    struct shape whole;

    closed_bundles(sum);
    closed_rows(sum, matrix, &whole);
    for (int s = 1; s < matrix.columns && sum->known; s++)
        closed_add_shift(sum, s, closed_product(sum, closed_words(sum), matrix.rows));
    sum->shape = whole;
    for (int s = 1; s < matrix.rows && sum->known; s++)
        closed_add_shift(sum, s * matrix.columns, closed_product(sum, closed_words(sum), matrix.columns));
}

const struct peal_algorithm alltoall_mesh_shift = {
    .collective         = PEAL_ALLTOALL,
    .name               = "mesh-shift",
    .summary            = "shifts in rows to the right column, then shifts in columns",
    .run.alltoall       = alltoall_mesh_shift_run,
    .needs.equal_blocks = true,
    .asks_network       = true,
    .cost               = alltoall_mesh_shift_cost,
    .texts              = TEXTS(
        {.on = "full", .alpha = "α(a+b−2)", .beta = "βm(a(b−1)+b(a−1))", .near = true,
         .names = "a = rows, b = columns"},
        {.on = "mesh", .when = "d = 2", .alpha = "α(a+b−2)", .beta = "βm(a⌊b²/4⌋+b⌊a²/4⌋)",
         .hop = "t_d(b(b−1)−⌊b²/4⌋+a(a−1)−⌊a²/4⌋)", .names = "a = rows, b = columns"},
        {.on = "torus", .when = "d = 2", .alpha = "α(a+b−2)", .beta = "βm(a⌊b²/4⌋+b⌊a²/4⌋)",
         .hop = "t_d(⌊b²/4⌋+⌊a²/4⌋)", .names = "a = rows, b = columns"},
        {.on = "hypercube", .alpha = "α(a+b−2)", .beta = "βm(a(b−1)+b(a−1))", .hop = "t_d(b log₂b−b+1+a log₂a−a+1)",
         .stored = "βm(a(b log₂b−b+1)+b(a log₂a−a+1))", .names = "a = rows, b = columns"},
        {.on = "line", .alpha = "α(a+b−2)", .beta = "βm(a⌊b²/4⌋+b²⌊a²/4⌋)",
         .hop = "t_d(b(b−1)−⌊b²/4⌋+b(a(a−1)−⌊a²/4⌋))", .names = "a = rows, b = columns"},
        {.on = "ring", .alpha = "α(a+b−2)", .beta = "βm(a⌊b²/4⌋+b²⌊a²/4⌋)",
         .hop = "t_d([a > 1](b(b−1)−⌊b²/4⌋)+[a = 1]⌊b²/4⌋+b⌊a²/4⌋)", .names = "a = rows, b = columns"}),
    .holds              = 3,
    .lists              = 2,
    .source             = "Grama et al. 2003, section 4.5.2, with shifts",
};
