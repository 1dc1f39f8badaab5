/* SPDX-License-Identifier: MIT */
/* Wrong: the range of the numbers is cut into P equal parts: right, and no balance where they are skewed.
 *
 *   loses    balance
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
    size_t P = (size_t)peal_size(me), have = 0, next = 0;
    double *x = peal_alloc(me, count), *samples = peal_alloc(me, P), *all = peal_alloc(me, P * P);
    size_t *sent = peal_alloc(me, P), *got = peal_alloc(me, P);

    memcpy(x, mine, count * sizeof *x);
    qsort(x, count, sizeof *x, by_value);
    for (size_t i = 0; i < P; i++)
        samples[i] = x[count * i / P];
    double low = -x[0], high = x[count - 1];

    peal_allreduce(me, PEAL_MAX_DOUBLE, &low, 1);
    peal_allreduce(me, PEAL_MAX_DOUBLE, &high, 1);
    for (size_t j = 0; j < P; j++)
        all[j] = -low + (high + low) * (double)j / (double)P;
    for (size_t j = 0; j < P; j++) /* part j: up to splitter j + 1, the last to the end */
        for (sent[j] = 0; next < count && (j + 1 == P || x[next] <= all[(j + 1)]); next++)
            sent[j]++;
    peal_alltoall(me, sent, 1, got);
    for (size_t j = 0; j < P; j++)
        have += got[j];
    peal_alltoallv(me, x, sent, out, got);
    qsort(out, have, sizeof *out, by_value);
    peal_free(me, x);
    peal_free(me, samples);
    peal_free(me, all);
    peal_free(me, sent);
    peal_free(me, got);
    return have;
}
