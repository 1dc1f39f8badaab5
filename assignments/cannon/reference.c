/* SPDX-License-Identifier: MIT */
/* What the driver prints when my_multiply is right: every node collects both matrices, and computes its own block. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

/* Element (i, j) of a matrix whose s*s blocks of b*b elements lie one behind the other. */
static double
element(const double *blocks, int s, int b, int i, int j)
{
    return blocks[((i / b * s + j / b) * b + i % b) * b + j % b];
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int P = peal_size(me), n = argc > 1 ? atoi(argv[1]) : 0, s = 1;

    while (s * s < P)
        s++;
    int b = n / s, row = peal_rank(me) / s * b, column = peal_rank(me) % s * b;
    size_t words = (size_t)b * (size_t)b;
    double *x = peal_alloc(me, words), *y = peal_alloc(me, words);
    double *all_x = peal_alloc(me, words * (size_t)P), *all_y = peal_alloc(me, words * (size_t)P);

    for (size_t i = 0; i < words; i++) { /* as the driver draws them */
        x[i] = (double)(peal_random(me) >> 41);
        y[i] = (double)(peal_random(me) >> 41);
    }
    peal_allgather(me, x, words, all_x);
    peal_allgather(me, y, words, all_y);
    for (int i = row; i < row + b; i++)
        for (int j = column; j < column + b; j++) {
            double sum = 0;

            for (int k = 0; k < n; k++)
                sum += element(all_x, s, b, i, k) * element(all_y, s, b, k, j);
            printf("z(%d,%d)=%.0f\n", i, j, sum);
        }
}
