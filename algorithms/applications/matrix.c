/* SPDX-License-Identifier: MIT */
/* Matrices in blocks, and their product on one node. */
#include "kit.h"
#include <string.h>

struct block
matrix_block(size_t n, size_t m, int rows, int columns, int i, int j)
{
    return (struct block){.row = part_first(n, rows, i),
                          .column = part_first(m, columns, j),
                          .rows = part_size(n, rows, i),
                          .columns = part_size(m, columns, j)};
}

void
block_take(const double *matrix, size_t stride, struct block block, double *x)
{
    for (size_t i = 0; i < block.rows; i++)
        memcpy(&x[i * block.columns], &matrix[(block.row + i) * stride + block.column], block.columns * sizeof *x);
}

void
block_give(double *matrix, size_t stride, struct block block, const double *x)
{
    for (size_t i = 0; i < block.rows; i++)
        memcpy(&matrix[(block.row + i) * stride + block.column], &x[i * block.columns], block.columns * sizeof *x);
}

void
multiply_add(struct peal_node *me, double *C, const double *A, const double *B, size_t rows, size_t inner,
             size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < inner; k++)
            for (size_t j = 0; j < columns; j++)
                C[i * columns + j] += A[i * inner + k] * B[k * columns + j];
    if (me != NULL)
        peal_compute(me, (int64_t)(rows * inner * columns));
}

bool
product_words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return count_words(problem->n, problem->n, 2, in) && count_words(problem->n, problem->n, 1, out);
}

void
product_make(const struct peal_problem *problem, void *in)
{
    make_wholes(problem->seed, in, 2 * problem->n * problem->n);
}

/* Row by row of A times column by column of B: another order than any of the node programs'. */
bool
product_reference(const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;
    const double *A = in, *B = A + n * n;
    double *C = out;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
    return true;
}

bool
transpose_words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return count_words(problem->n, problem->n, 1, in) && count_words(problem->n, problem->n, 1, out);
}

void
transpose_make(const struct peal_problem *problem, void *in)
{
    make_wholes(problem->seed, in, problem->n * problem->n);
}

bool
transpose_reference(const struct peal_problem *problem, const void *in, void *out)
{
    size_t n = problem->n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            ((double *)out)[j * n + i] = ((const double *)in)[i * n + j];
    return true;
}
