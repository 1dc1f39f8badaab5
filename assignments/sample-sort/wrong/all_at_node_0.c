/* SPDX-License-Identifier: MIT */
/* Wrong: node 0 collects all numbers, sorts them and scatters equal shares: right, with far more words.
 *
 *   loses    words
 */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

size_t
my_sort(struct peal_node *me, const double *mine, size_t count, double *out)
{
    size_t n = count * (size_t)peal_size(me);
    double *all = peal_alloc(me, n);

    peal_gather(me, mine, count, 0, all);
    if (peal_rank(me) == 0)
        qsort(all, n, sizeof *all, by_value);
    peal_scatter(me, all, count, 0, out);
    peal_free(me, all);
    return count;
}
