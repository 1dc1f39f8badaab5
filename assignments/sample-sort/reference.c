/* SPDX-License-Identifier: MIT */
/* The program's numbers, sorted by node 0 alone. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    size_t P = (size_t)peal_size(me), n = argc > 2 ? (size_t)strtoull(argv[1], NULL, 10) : 0, count = n / P;
    double *mine = peal_alloc(me, count), *all = peal_alloc(me, count * P);

    for (size_t i = 0; i < count; i++)
        mine[i] = driver_number(me, argv[2], (size_t)peal_rank(me) * count + i, n);
    peal_gather(me, mine, count, 0, all);
    if (peal_rank(me) != 0)
        return;
    n = count * P;
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < n; i++)
        printf("%.0f\n", all[i]);
}
