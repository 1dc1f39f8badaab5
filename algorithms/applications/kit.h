/* SPDX-License-Identifier: MIT */
/* Shared by applications: generated numbers, parts, grids of nodes, moves, matrices, and exact sums for their closed
 * forms.  It uses only <peal/...> calls. */
#pragma once

#include "applications.h"

/* ------------------------------------------------------------------ numbers and sizes */

/* The i-th number of a seed: any 64 bits. */
uint64_t made_bits(uint64_t seed, uint64_t i);

/* Fill `count` doubles with numbers of a seed: in -1 .. 1; whole ones in -8 .. 8, whose sums and products stay exact
 * whatever their order. */
void make_reals(uint64_t seed, void *x, size_t count);
void make_wholes(uint64_t seed, void *x, size_t count);

/* ⌈log₂x⌉ of x >= 1; ⌊√x⌋. */
int log2_up(size_t x);
int square_root(size_t x);

static inline size_t
larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Part b of n things in P parts: the first n mod P parts have one more. */
size_t part_first(size_t n, int P, int b);
size_t part_size(size_t n, int P, int b);

/* a · b · c words; false when they are too many to count. */
bool count_words(size_t a, size_t b, size_t c, size_t *words);

/* Refuse a number of nodes that is not s·s, or not 2^q: names those that fit. */
enum peal_status need_square(const struct peal_problem *problem, struct peal_error *error);
enum peal_status need_power_of_two(const struct peal_problem *problem, struct peal_error *error);

/* ------------------------------------------------------------------ nodes */

/* The nodes as rows times columns, row by row.  A node's row is a group ranked by column, its column one ranked by
 * row. */
struct grid {
    int rows, columns, row, column;
    struct peal_node *in_row, *in_column;
};
struct grid grid_of(struct peal_node *me, int rows, int columns);

/* The rows of the squarest grid of P nodes, never more than its columns. */
int square_rows(int P);

/* ------------------------------------------------------------------ moves */

enum { NOBODY = -1 }; /* a partner beyond an open end */

/* Send `out` to dest and receive `in` from source at the same time; either may be NOBODY. */
void shift_open(struct peal_node *me, const double *out, size_t out_words, int dest, double *in, size_t in_words,
                int source);

/* A block that moves on while its successor arrives. */
struct moving {
    double *x, *spare;
};
struct moving moving_of(struct peal_node *me, size_t most_words);

/* Send my block, of `words` words, to the node `by` places back in the group, and get that of the one `by` places on,
 * of `next_words`.  For by = 0 it stays, and the node rests for the round that the others need. */
void move_back(struct peal_node *group, struct moving *block, size_t words, size_t next_words, int by);

/* ------------------------------------------------------------------ matrices, row by row */

/* A part of a matrix whose rows have `stride` words. */
struct block {
    size_t row, column, rows, columns;
};

/* The block of node (i, j) of an n × m matrix on a grid of this many rows and columns of nodes. */
struct block matrix_block(size_t n, size_t m, int rows, int columns, int i, int j);

/* Copy the block from a whole matrix of `stride` columns into x, and back. */
void block_take(const double *matrix, size_t stride, struct block block, double *x);
void block_give(double *matrix, size_t stride, struct block block, const double *x);

/* C += A·B, where A is rows × inner.  A node declares its rows · inner · columns multiply-adds; me may be NULL. */
void multiply_add(struct peal_node *me, double *C, const double *A, const double *B, size_t rows, size_t inner,
                  size_t columns);

/* Shared by the products of n × n matrices: A and B in, C out, all of whole numbers. */
bool product_words(const struct peal_problem *problem, size_t *in, size_t *out);
void product_make(const struct peal_problem *problem, void *in);
bool product_reference(const struct peal_problem *problem, const void *in, void *out);
#define PRODUCT_OF_MATRICES                                                                                            \
    .size = "rows and columns of the matrices", .usual_size = 48, .operations = "a multiply-add",                      \
    .words = product_words, .make = product_make, .reference = product_reference,                                      \
    .compared = "exactly: the numbers are whole and small, so sums in any order are exact"

/* Shared by the transpositions of an n × n matrix. */
bool transpose_words(const struct peal_problem *problem, size_t *in, size_t *out);
void transpose_make(const struct peal_problem *problem, void *in);
bool transpose_reference(const struct peal_problem *problem, const void *in, void *out);
#define TRANSPOSITION                                                                                                  \
    .size = "rows and columns of the matrix", .usual_size = 48, .operations = "none: nothing is computed",             \
    .words = transpose_words, .make = transpose_make, .reference = transpose_reference,                                \
    .compared = "exactly: numbers only move"

/* The loop of Cannon: A and B are skewed by i + offset and j + offset over the grid of q × q nodes, then multiplied and
 * moved on, `steps` times.  It adds its products to C. */
void cannon_multiply(const struct grid *grid, size_t n, int offset, int steps, struct moving *A, struct moving *B,
                     double *C);

/* ------------------------------------------------------------------ stencils */

/* Every cell of rows × columns becomes the mean of its four neighbours.  x and y have a frame of one cell round them,
 * the cells' neighbours.  With `minus`, it becomes four times itself less its neighbours: the product with the matrix
 * of the five-point Laplacian.  4 operations a cell, which are not declared here. */
void five_point(double *y, const double *x, size_t rows, size_t columns, bool minus);

/* n × n cells in and out, and the steps on one processor. */
bool cells_words(const struct peal_problem *problem, size_t *in, size_t *out);
void cells_make(const struct peal_problem *problem, void *in);
bool jacobi_reference(const struct peal_problem *problem, const void *in, void *out);
#define SAME_OPERATIONS "exactly: every cell is computed by the same operations in the same order"
#define JACOBI_ON_A_SQUARE                                                                                             \
    .size = "rows and columns of cells", .usual_size = 48, .parameters = {{"steps", "steps of the iteration", 10, 0}}, \
    .operations = "an addition or division of a cell's mean, 4 a cell",                                                \
    .words = cells_words, .make = cells_make, .reference = jacobi_reference, .compared = SAME_OPERATIONS

/* Copy the inner cells of framed ones from a whole matrix of `stride` columns, and back. */
void framed_take(const double *matrix, size_t stride, struct block block, double *x);
void framed_give(double *matrix, size_t stride, struct block block, const double *x);

/* Get the rows above and below of a stripe of rows × columns with its frame: 2 rounds, down and up. */
void swap_rows(struct peal_node *column, double *x, size_t rows, size_t columns);

/* Refuse fewer rows than nodes. */
enum peal_status need_rows(const struct peal_problem *problem, int nodes, struct peal_error *error);

/* ------------------------------------------------------------------ sorting */

/* Sort keys; declares count · ⌈log₂count⌉ comparisons. */
void sort_keys(struct peal_node *me, int64_t *keys, size_t count);

/* Exchange sorted blocks of b keys with the partner, and keep the lower or the upper b of both.  Declares b
 * comparisons.  `theirs` and `kept` are room for b each; mine and kept change places. */
struct keys {
    int64_t *mine, *theirs, *kept;
    size_t b;
};
void compare_split(struct peal_node *me, struct keys *keys, int partner, bool keep_lower);

/* The node's block of ⌈n/P⌉ keys of n, the last ones filled up with the greatest number; and back without that. */
struct keys keys_take(struct peal_node *me, const struct peal_problem *problem, const void *in);
void keys_give(struct peal_node *me, const struct peal_problem *problem, const struct keys *keys, void *out);

/* Shared by the sorts: n whole numbers in, the same in order out. */
bool sort_words(const struct peal_problem *problem, size_t *in, size_t *out);
void sort_make(const struct peal_problem *problem, void *in);
bool sort_reference(const struct peal_problem *problem, const void *in, void *out);
#define SORT_OF_KEYS                                                                                                   \
    .size = "keys", .usual_size = 1000, .whole = true, .compared = "exactly: keys only move",                          \
    .words = sort_words, .make = sort_make, .reference = sort_reference,                                               \
    .operations = "a comparison of keys: b·⌈log₂b⌉ to sort b, b to keep b of 2b"

/* ------------------------------------------------------------------ closed forms */

/* The network that joins the nodes of one line of a grid. */
enum way { WAY_UNKNOWN, WAY_FULL, WAY_LINE, WAY_RING, WAY_CUBE };

/* A line along dimension d of the nodes taken as a grid of these extents, row by row. */
enum way way_of(const struct peal_problem *problem, const int *extents, int dimensions, int d);
enum way way_of_all(const struct peal_problem *problem);

/* A cyclic shift by `by` of the nodes of such a line: k is the same for each of its messages, hops that of the
 * farthest. */
void way_shift(enum way way, int nodes, int by, size_t *k, size_t *hops);

/* As way_shift, where nodes r and r ^ bit, if both exist, send to each other.  False where it is not derived. */
bool flip_of(const struct peal_problem *problem, int bit, size_t *k, size_t *hops);

/* A sum of rounds, exact. */
struct tally {
    const struct peal_problem *problem;
    struct peal_cost cost;
    bool known; /* so far it is derived, and fits in 64 bits */
    bool even;  /* the messages of a round are equally long */
};

/* Give an empty sum.  Not known under eager delivery, more ports than one, half duplex, `--routing best`. */
struct tally tally_of(const struct peal_problem *problem, bool even);

/* Add `rounds` rounds: `load` is the largest of a message's words times the messages that share its links, at most k;
 * the farthest goes `hops`. */
void tally_rounds(struct tally *tally, size_t rounds, size_t load, size_t k, size_t hops);

/* Add a cyclic shift along a line of the grid; `rounds` times a message from each node of a line to the next one, not
 * round the end, or to the one before; the same for all nodes in the order of ranks; the rounds of
 * alltoall/shift, where from -> to has words(from, to). */
void tally_shift(struct tally *tally, enum way way, int nodes, int by, size_t words);
void tally_next(struct tally *tally, size_t rounds, enum way way, int nodes, size_t words);
void tally_chain(struct tally *tally, size_t rounds, size_t words);
void tally_alltoall(struct tally *tally, size_t (*words)(const struct peal_problem *problem, int from, int to));

/* Add a collective on the lines of a grid, or on all nodes, by the closed form of its algorithm. */
void tally_lines(struct tally *tally, enum way way, int nodes, enum peal_collective collective, const char *algorithm,
                 size_t words, int root);
void tally_all(struct tally *tally, enum peal_collective collective, const char *algorithm, size_t words, int root);

/* Add operations: the most that a node declares between two rounds. */
void tally_compute(struct tally *tally, size_t operations);

/* Give the sum; false when it is not known. */
bool tally_end(const struct tally *tally, struct peal_cost *cost);

/* Add the rounds and operations of cannon_multiply: by `layers` layers at once, the l-th with offset l·steps. */
void cannon_tally(struct tally *tally, enum way row, enum way column, int q, int layers);
