/* SPDX-License-Identifier: MIT */
/* SUMMA: for each panel of columns of A and rows of B, its nodes broadcast it along their rows or columns.
 *
 *   before       node (i, j) of r × c has A(i, j) and B(i, j), blocks of an n × n matrix; r × c is as square as P
 *                allows
 *   after        node (i, j) has C(i, j), C = A·B
 *   rounds       ⌈log₂c⌉ + ⌈log₂r⌉ a panel
 *   cost         Σ over panels of w columns: ⌈log₂c⌉(α + β(n/r)w) + ⌈log₂r⌉(α + β(n/c)w); any P and n
 *   space        3 blocks and 2 panels
 *   operations   n³/P multiply-adds a node
 *   derivation   a panel has b columns, fewer where a block of A or of B ends.  A binomial broadcast shares no link on
 *                a line, whatever its root, and all nodes end it in the same round
 *   source       van de Geijn, Watts 1997
 *
 *   2 × 3 nodes, n = 6, b = 2: the panels and their nodes
 *     k = 0, 1     column 0 has A(:, k), row 0 has B(k, :)
 *     k = 2        column 1              row 0              its block of B ends here
 *     k = 3        column 1              row 1
 *     k = 4, 5     column 2              row 1                                                               */
#include "kit.h"
#include <math.h>

/* Columns k .. k+w-1 of A, which are in one block column, and rows of B, which are in one block row. */
struct panel {
    size_t k, w;
    int column, row;
};

static struct panel
panel_at(const struct peal_problem *problem, int rows, int columns, size_t k)
{
    size_t n = problem->n, end = smaller(n, k + problem->parameter[0]);
    struct panel panel = {.k = k};

    while (panel.column + 1 < columns && part_first(n, columns, panel.column + 1) <= k)
        panel.column++;
    while (panel.row + 1 < rows && part_first(n, rows, panel.row + 1) <= k)
        panel.row++;
    end = smaller(end, smaller(part_first(n, columns, panel.column + 1), part_first(n, rows, panel.row + 1)));
    panel.w = end - k;
    return panel;
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    int rows = square_rows(peal_size(me)), columns = peal_size(me) / rows;
    struct grid grid = grid_of(me, rows, columns);
    struct block mine = matrix_block(n, n, rows, columns, grid.row, grid.column);
    double *C = peal_alloc(me, mine.rows * mine.columns);
    double *a = peal_alloc(me, mine.rows * smaller(n, problem->parameter[0]));
    double *b = peal_alloc(me, mine.columns * smaller(n, problem->parameter[0]));

    for (size_t k = 0; k < n;) {
        struct panel p = panel_at(problem, rows, columns, k);

        if (grid.column == p.column)
            block_take(in, n, (struct block){mine.row, p.k, mine.rows, p.w}, a);
        if (grid.row == p.row)
            block_take((const double *)in + n * n, n, (struct block){p.k, mine.column, p.w, mine.columns}, b);
        peal_broadcast_by(grid.in_row, "binomial", a, mine.rows * p.w, p.column);
        peal_broadcast_by(grid.in_column, "binomial", b, p.w * mine.columns, p.row);
        multiply_add(me, C, a, b, mine.rows, p.w, mine.columns);
        k += p.w;
    }
    block_give(out, n, mine, C);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    int rows = square_rows(problem->machine.nodes), columns = problem->machine.nodes / rows,
        extents[2] = {rows, columns};
    size_t n = problem->n, high = part_size(n, rows, 0), wide = part_size(n, columns, 0);
    enum way row = way_of(problem, extents, 2, 1), column = way_of(problem, extents, 2, 0);
    struct tally tally = tally_of(problem, n % (size_t)rows == 0 && n % (size_t)columns == 0);

    for (size_t k = 0; k < n && tally.known;) {
        struct panel p = panel_at(problem, rows, columns, k);

        tally_lines(&tally, row, columns, PEAL_BROADCAST, "binomial", high * p.w, p.column);
        tally_lines(&tally, column, rows, PEAL_BROADCAST, "binomial", p.w * wide, p.row);
        tally_compute(&tally, high * p.w * wide);
        k += p.w;
    }
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes, n = (double)problem->n, b = (double)problem->parameter[0];

    return (struct peal_estimate){n / b * log2(P), n * n / sqrt(P) * log2(P)};
}

const struct peal_application app_summa = {
    .name        = "summa",
    .summary     = "product of matrices: broadcast panels along rows and columns",
    PRODUCT_OF_MATRICES,
    .parameters  = {{"panel", "b, columns of A and rows of B that are broadcast at a time", 8, 1}},
    .needs       = "",
    .run         = run,
    .cost        = cost,
    .closed_form = "Σ over panels of w columns: ⌈log₂c⌉(α + βwn/r) + ⌈log₂r⌉(α + βwn/c); τ·n³/P; "
                   "P = r·c, r rows of c nodes",
    .estimate    = estimate,
    .formula     = "(n/b)·log₂P·α + β(n²/√P)log₂P",
    .differs     = "logarithms round up, panels end where blocks do, and a grid that is not square has longer sides",
    .source      = "van de Geijn, Watts 1997",
};
