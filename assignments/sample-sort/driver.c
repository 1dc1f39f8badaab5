/* SPDX-License-Identifier: MIT */
/* Sample sort: give every node n/P numbers, call my_sort, print what the nodes have, in the order of their ranks. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t my_sort(struct peal_node *me, const double *mine, size_t count, double *out);

/* Number i of n, of this kind: "falling", "equal" (but for three values), "skewed" (falling, and a half far away), else
 * mixed. */
static double
driver_number(struct peal_node *me, const char *kind, size_t i, size_t n)
{
    uint64_t x = peal_random(me);

    if (strcmp(kind, "falling") == 0)
        return (double)(n - i) * 0x1p32 + (double)(x >> 32);
    if (strcmp(kind, "equal") == 0)
        return (double)(x % 3);
    if (strcmp(kind, "skewed") == 0)
        return (double)(i < n / 2 ? (n - i) * (n - i) * (n - i) : n - i) * 0x1p18 + (double)(x >> 46);
    return (double)(x >> 11);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    size_t n = argc > 2 ? (size_t)strtoull(argv[1], NULL, 10) : 0, P = (size_t)peal_size(me), count = n / P;
    double *mine = peal_alloc(me, count), *out = peal_alloc(me, n);

    for (size_t i = 0; i < count; i++)
        mine[i] = driver_number(me, argv[2], (size_t)peal_rank(me) * count + i, n);
    size_t have = my_sort(me, mine, count, out);

    if (strcmp(argv[2], "skewed") == 0 && have > 2 * count)
        peal_abort(me, "a node has more than 2n/P numbers");
    peal_barrier(me);
    for (size_t i = 0; i < have && i < n; i++)
        printf("%.0f\n", out[i]);
}
