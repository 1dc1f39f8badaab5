/* SPDX-License-Identifier: MIT */
/* The program's numbers, sorted by node 0 alone. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number i of n, of this kind: "falling", "equal" (but for three values), "skewed" (falling, and a half far away), else
 * mixed. */
static double
driver_number(const char *kind, size_t i, size_t n)
{
    double x = (double)(i * 7919 % 10007);

    if (strcmp(kind, "falling") == 0)
        return (double)(n - i);
    if (strcmp(kind, "equal") == 0)
        return (double)(i % 3);
    if (strcmp(kind, "skewed") == 0)
        return i < n / 2 ? (double)(n - i) * (double)(n - i) * (double)(n - i) : (double)(n - i);
    return x;
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
    size_t P = (size_t)peal_size(me), n = argc > 2 ? (size_t)strtoull(argv[1], NULL, 10) / P * P : 0;
    double *all = peal_alloc(me, n);

    for (size_t i = 0; i < n; i++)
        all[i] = driver_number(argv[2], i, n);
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < n && peal_rank(me) == 0; i++)
        printf("%.0f\n", all[i]);
}
