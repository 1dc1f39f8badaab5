/* SPDX-License-Identifier: MIT */
/* Wrong: every part is taken to have count/P numbers.
 *
 *   loses    mixed
 *   loses    in falling order
 *   loses    equal numbers
 *   loses    balance
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
    size_t P = (size_t)peal_size(me), have = 0, next = 0;
    double *x = peal_alloc(me, count), *samples = peal_alloc(me, P), *all = peal_alloc(me, P * P);
    size_t *sent = peal_alloc(me, P), *got = peal_alloc(me, P);

    memcpy(x, mine, count * sizeof *x);
    qsort(x, count, sizeof *x, by_value);
    for (size_t i = 0; i < P; i++)
        samples[i] = x[count * i / P];
    peal_allgather(me, samples, P, all);
    qsort(all, P * P, sizeof *all, by_value);
    for (size_t j = 0; j < P; j++) /* part j: up to splitter j + 1, the last to the end */
        for (sent[j] = 0; next < count && (j + 1 == P || x[next] <= all[(j + 1) * P + P / 2]); next++)
            sent[j]++;
    for (size_t j = 0; j < P; j++)
        sent[j] = got[j] = count / P;
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
