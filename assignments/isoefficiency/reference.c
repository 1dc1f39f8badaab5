/* SPDX-License-Identifier: MIT */
/* What the driver prints when the three functions are right. */
#include <peal/peal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The machine's prices, as of the driver. */
enum { ALPHA = 1000, BETA = 1, TAU = 3 };

static void
print_sum(struct peal_node *me, int64_t n)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < n / peal_size(me); i++) /* as the driver draws them */
        sum += (int64_t)(peal_random(me) >> 16);
    peal_reduce(me, PEAL_SUM_INT64, &sum, 1, 0);
    if (peal_rank(me) == 0)
        printf("sum=%lld\n", (long long)sum);
}

/* The time of such a sum along a tree. */
static double
time_of(int P, int64_t n, int64_t serial)
{
    int rounds = 0;

    while (1 << rounds < P)
        rounds++;
    return (double)(serial + n / P + rounds) * TAU + rounds * (double)(ALPHA + BETA);
}

/* The least n, a multiple of P, that has this efficiency. */
static int64_t
least_n(int P, double efficiency)
{
    int64_t n = P;

    while ((double)n * TAU / (P * time_of(P, n, 0)) < efficiency - 1e-12)
        n += P;
    return n;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "sum";
    int64_t n = argc > 2 ? atoll(argv[2]) : 0;
    int P = peal_size(me);

    if (strcmp(what, "sum") == 0)
        print_sum(me, n);
    if (strcmp(what, "sum") == 0 || peal_rank(me) != 0)
        return;
    if (strcmp(what, "iso") != 0) {
        int64_t serial = strcmp(what, "amdahl") == 0 ? 50 + (int64_t)(peal_random(me) % 500) : 0;

        printf("T(1)/T(P) = %.12g\n", (double)(n + serial) * TAU / time_of(P, n, serial));
        return;
    }
    for (int e = 50; e <= 90; e += 20)
        printf("n(.%d)=%lld\n", e, (long long)least_n(P, e / 100.0));
}
