/* SPDX-License-Identifier: MIT */
/* Cannon: give every node its blocks of two made-up matrices, call my_multiply, compare with the product. */
#include <peal/peal.h>
#include <stdlib.h>

void my_multiply(struct peal_node *me, int s, int b, double *x, double *y, double *z);

/* Small whole numbers, so that the product is exact in any order. */
static double
driver_x(int i, int j)
{
    return (i * 7 + j * 3) % 11 - 5;
}

static double
driver_y(int i, int j)
{
    return (i * 5 + j * 13) % 7 - 3;
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

    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            x[i * b + j] = driver_x(row + i, column + j);
            y[i * b + j] = driver_y(row + i, column + j);
            z[i * b + j] = 0;
        }
    my_multiply(me, s, b, x, y, z);
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double sum = 0;

            for (int k = 0; k < n; k++)
                sum += driver_x(row + i, k) * driver_y(k, column + j);
            if (z[i * b + j] != sum)
                peal_abort(me, "an element of the product is wrong");
        }
}
