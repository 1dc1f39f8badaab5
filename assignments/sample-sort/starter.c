/* SPDX-License-Identifier: MIT */
/* Sample sort: complete my_sort. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Put the node's share of all numbers, sorted, into out, and give how many it has. */
size_t
my_sort(struct peal_node *me, const double *mine, size_t count, double *out)
{
    (void)me;
    memcpy(out, mine, count * sizeof *out);
    qsort(out, count, sizeof *out, by_value);
    return count; /* your turn: samples, splitters, parts */
}
