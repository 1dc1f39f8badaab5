/* SPDX-License-Identifier: MIT */
/* Cannon: give every node its blocks of two made-up matrices, call my_multiply, compare with the product.
 *
 *   argv[1]   n, the order of the matrices
 *   argv[2]   where the numbers begin, which my_multiply does not know; 0 without it */
#include <peal/peal.h>
#include <stdint.h>
#include <stdlib.h>

void my_multiply(struct peal_node *me, int s, int b, double *x, double *y, double *z);

/* Small whole numbers, so that the product is exact in any order. */
static double
driver_number(uint32_t seed, int i, int j)
{
    uint32_t x = seed + (uint32_t)i * 0x9E3779B1u + (uint32_t)j * 0x85EBCA77u;

    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    x = (x ^ x >> 12) * 0x297A2D39u;
    return (x ^ x >> 15) % 15 - 7.0;
}

static double
driver_x(uint32_t seed, int i, int j)
{
    return driver_number(seed, i, j);
}

static double
driver_y(uint32_t seed, int i, int j)
{
    return driver_number(~seed, i, j);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int P = peal_size(me), n = argc > 1 ? atoi(argv[1]) : 0, s = 1;
    uint32_t seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;

    while (s * s < P)
        s++;
    if (s * s != P || n % s != 0)
        peal_abort(me, "the driver needs P = s*s nodes, and n that s divides");
    int b = n / s, row = peal_rank(me) / s * b, column = peal_rank(me) % s * b;
    size_t words = (size_t)b * (size_t)b;
    double *x = peal_alloc(me, words), *y = peal_alloc(me, words), *z = peal_alloc(me, words);

    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            x[i * b + j] = driver_x(seed, row + i, column + j);
            y[i * b + j] = driver_y(seed, row + i, column + j);
            z[i * b + j] = 0;
        }
    my_multiply(me, s, b, x, y, z);
    for (int i = 0; i < b; i++)
        for (int j = 0; j < b; j++) {
            double sum = 0;

            for (int k = 0; k < n; k++)
                sum += driver_x(seed, row + i, k) * driver_y(seed, k, column + j);
            if (z[i * b + j] != sum)
                peal_abort(me, "an element of the product is wrong");
        }
}
