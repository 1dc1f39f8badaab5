/* SPDX-License-Identifier: MIT */
/* Jacobi's iteration on n × n cells in blocks: every cell becomes the mean of its four neighbours, `steps` times.
 *
 *   before       node (i, j) of r × c has a block of cells; beyond the edges all is 0; r × c is as square as P allows
 *   after        node (i, j) has it after `steps` steps
 *   rounds       4 a step; 2 where the grid has but one row
 *   cost         2(α + βn/r) + 2(α + βn/c) a step; on s × s nodes 4(α + βn/s), less than strips if βn(1 - 2/s) > α
 *   space        2(n/r + 2)(n/c + 2)
 *   operations   4 a cell and step
 *   derivation   columns go right and left, rows down and up: shifts by one with open ends share no link.  The longest
 *                side of a block counts
 *   source       derived here: neighbours exchange the cells that the next step needs
 *
 *   2 × 3 nodes
 *     round 1    0 -> 1    1 -> 2    3 -> 4    4 -> 5         last columns
 *     round 2    1 -> 0    2 -> 1    4 -> 3    5 -> 4         first columns
 *     round 3    0 -> 3    1 -> 4    2 -> 5                   last rows
 *     round 4    3 -> 0    4 -> 1    5 -> 2                   first rows                                    */
#include "kit.h"

/* Get the columns left and right of a block with its frame. */
static void
swap_columns(struct peal_node *row, double *x, size_t rows, size_t columns, double *out, double *in)
{
    int r = peal_rank(row), left = r > 0 ? r - 1 : NOBODY, right = r + 1 < peal_size(row) ? r + 1 : NOBODY;
    size_t stride = columns + 2;

    for (int side = 0; side < 2; side++) {               /* my last column to the right, my first to the left */
        int dest = side == 0 ? right : left, source = side == 0 ? left : right;
        size_t mine = side == 0 ? columns : 1, theirs = side == 0 ? 0 : columns + 1;

        for (size_t i = 0; i < rows; i++)
            out[i] = x[(i + 1) * stride + mine];
        shift_open(row, out, rows, dest, in, rows, source);
        for (size_t i = 0; i < rows && source != NOBODY; i++)
            x[(i + 1) * stride + theirs] = in[i];
    }
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    int rows = square_rows(peal_size(me)), columns = peal_size(me) / rows;
    struct grid grid = grid_of(me, rows, columns);
    struct block mine = matrix_block(n, n, rows, columns, grid.row, grid.column);
    size_t framed = (mine.rows + 2) * (mine.columns + 2);
    double *x = peal_alloc(me, framed), *y = peal_alloc(me, framed);
    double *sent = peal_alloc(me, mine.rows), *received = peal_alloc(me, mine.rows);

    framed_take(in, n, mine, x);
    for (size_t step = 0; step < problem->parameter[0]; step++) {
        double *before = x;

        swap_columns(grid.in_row, x, mine.rows, mine.columns, sent, received);
        swap_rows(grid.in_column, x, mine.rows, mine.columns);
        five_point(y, x, mine.rows, mine.columns, false);
        peal_compute(me, 4 * (int64_t)(mine.rows * mine.columns));
        x = y;
        y = before;
    }
    framed_give(out, n, mine, x);
}

static enum peal_status
fits(const struct peal_problem *problem, struct peal_error *error)
{
    return need_rows(problem, problem->machine.nodes / square_rows(problem->machine.nodes), error);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t n = problem->n, steps = problem->parameter[0];
    int rows = square_rows(problem->machine.nodes), columns = problem->machine.nodes / rows,
        extents[2] = {rows, columns};
    struct tally tally = tally_of(problem, n % (size_t)rows == 0 && n % (size_t)columns == 0);

    tally_next(&tally, 2 * steps, way_of(problem, extents, 2, 1), columns, part_size(n, rows, 0));
    tally_next(&tally, 2 * steps, way_of(problem, extents, 2, 0), rows, part_size(n, columns, 0));
    tally_compute(&tally, steps * 4 * part_size(n, rows, 0) * part_size(n, columns, 0));
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    int rows = square_rows(problem->machine.nodes), columns = problem->machine.nodes / rows;
    double steps = (double)problem->parameter[0], n = (double)problem->n;

    return (struct peal_estimate){4 * steps, steps * 2 * (n / rows + n / columns)};
}

const struct peal_application app_jacobi_blocks = {
    .name        = "jacobi-blocks",
    .summary     = "Jacobi's iteration on n × n cells in blocks",
    JACOBI_ON_A_SQUARE,
    .needs       = "n >= columns of the grid of nodes",
    .fits        = fits,
    .run         = run,
    .cost        = cost,
    .closed_form = "steps · (2(α + βn/r) + 2(α + βn/c)), on r × c nodes; τ·4 a cell and step",
    .estimate    = estimate,
    .formula     = "steps · 4(α + βn/√P), with r and c for √P where P is not a square",
    .differs     = "the longest side counts when blocks are unequal; a grid of one row has no neighbours above "
                   "and below",
    .source      = "derived here: neighbours exchange what the next step needs",
};
