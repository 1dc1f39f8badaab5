/* SPDX-License-Identifier: MIT */
/* Cannon: give every node its blocks of two generated matrices, call my_multiply, print the elements of the product.
 *
 *   argv[1]   n, the order of the matrices */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

void my_multiply(struct peal_node *me, int s, int b, double *x, double *y, double *z);

/* A whole number, so that the product is exact in any order. */
static double
driver_number(struct peal_node *me)
{
    return (double)(peal_random(me) >> 41);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int P = peal_size(me), n = argc > 1 ? atoi(argv[1]) : 0, s = 1;

    while (s * s < P)
        s++;
    if (s * s != P || n % s != 0)
        peal_abort(me, "the driver needs P = s*s nodes, and n that s divides");
    int b = n / s, row = peal_rank(me) / s * b, column = peal_rank(me) % s * b;
    size_t words = (size_t)b * (size_t)b;
    double *x = peal_alloc(me, words), *y = peal_alloc(me, words), *z = peal_alloc(me, words);

    for (size_t i = 0; i < words; i++) {
        x[i] = driver_number(me);
        y[i] = driver_number(me);
        z[i] = 0;
    }
    my_multiply(me, s, b, x, y, z);
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++)
            printf("z(%d,%d)=%.0f\n", row + i, column + j, z[i * b + j]);
}
