/* SPDX-License-Identifier: MIT */
/* Grids of cells with a frame round them. */
#include "kit.h"
#include <stdlib.h>
#include <string.h>

/* The node programs and the reference call this same code, so that their results are the same to the last bit. */
__attribute__((noinline)) void
five_point(double *y, const double *x, size_t rows, size_t columns, bool minus)
{
    size_t stride = columns + 2;

    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            const double *cell = &x[i * stride + j];
            double around = (cell[-(ptrdiff_t)stride] + cell[stride]) + (cell[-1] + cell[1]);

            y[i * stride + j] = minus ? 4 * *cell - around : around / 4;
        }
}

bool
cells_words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return problem->n <= SIZE_MAX / 32 && count_words(problem->n + 2, problem->n + 2, 1, in)
           && count_words(problem->n, problem->n, 1, in) && count_words(problem->n, problem->n, 1, out);
}

void
cells_make(const struct peal_problem *problem, void *in)
{
    make_reals(problem->seed, in, problem->n * problem->n);
}

void
framed_take(const double *matrix, size_t stride, struct block block, double *x)
{
    for (size_t i = 0; i < block.rows; i++)
        memcpy(&x[(i + 1) * (block.columns + 2) + 1], &matrix[(block.row + i) * stride + block.column],
               block.columns * sizeof *x);
}

void
framed_give(double *matrix, size_t stride, struct block block, const double *x)
{
    for (size_t i = 0; i < block.rows; i++)
        memcpy(&matrix[(block.row + i) * stride + block.column], &x[(i + 1) * (block.columns + 2) + 1],
               block.columns * sizeof *x);
}

bool
jacobi_reference(const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n, framed = (n + 2) * (n + 2);
    struct block all = {0, 0, n, n};
    double *cells = calloc(2 * framed, sizeof *cells), *x = cells, *y = cells + framed;

    if (cells == NULL)
        return false;
    framed_take(in, n, all, x);
    for (size_t step = 0; step < problem->parameter[0]; step++) {
        double *before = x;

        five_point(y, x, n, n, false);
        x = y;
        y = before;
    }
    framed_give(out, n, all, x);
    free(cells);
    return true;
}

void
swap_rows(struct peal_node *column, double *x, size_t rows, size_t columns)
{
    int r = peal_rank(column), above = r > 0 ? r - 1 : NOBODY, below = r + 1 < peal_size(column) ? r + 1 : NOBODY;
    size_t stride = columns + 2;

    shift_open(column, &x[rows * stride + 1], columns, below, &x[1], columns, above);
    shift_open(column, &x[stride + 1], columns, above, &x[(rows + 1) * stride + 1], columns, below);
}

enum peal_status
need_rows(const struct peal_problem *problem, int nodes, struct peal_error *error)
{
    if (nodes <= 1 || problem->n >= (size_t)nodes)
        return PEAL_OK;
    return peal_refuse(error, PEAL_USAGE,
                       "n = %zu rows are fewer than the %d nodes that share them; n = %d and more fits", problem->n,
                       nodes, nodes);
}
