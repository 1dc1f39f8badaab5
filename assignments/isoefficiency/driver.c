/* SPDX-License-Identifier: MIT */
/* A sum that scales: run my_sum, and compare the model's time with what my_speedup and my_least_n say.
 *
 *   argv[1]   sum; speedup; amdahl, with serial work; iso
 *   argv[2]   n, the numbers of all nodes together
 *   argv[3]   where the numbers begin, which my_sum does not know; 0 without it */
#include <peal/peal.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int64_t my_sum(struct peal_node *me, const int64_t *x, int64_t count);
double my_speedup(int P, int64_t n, int64_t serial, double alpha, double beta, double tau);
int64_t my_least_n(int P, double efficiency, double alpha, double beta, double tau);

/* The machine's prices (peal grade has α = 1000, β = 1); a driver's τ is what an operation declares. */
enum { DRIVER_ALPHA = 1000, DRIVER_BETA = 1, DRIVER_TAU = 3 };

static int64_t
driver_number(uint32_t seed, int64_t i)
{
    uint32_t x = seed + (uint32_t)i * 0x9E3779B1u;

    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    return (int64_t)((x ^ x >> 13) % 1000);
}

/* Add n numbers; node 0 looks at the result. */
static void
driver_sum(struct peal_node *me, int64_t n, uint32_t seed)
{
    int P = peal_size(me), rank = peal_rank(me);
    int64_t count = n / P, *x = peal_alloc(me, (size_t)count + 1), all = 0;

    for (int64_t i = 0; i < count; i++)
        x[i] = driver_number(seed, rank * count + i);
    int64_t sum = my_sum(me, x, count);

    if (rank != 0)
        return;
    for (int64_t i = 0; i < count * P; i++)
        all += driver_number(seed, i);
    if (sum != all)
        peal_abort(me, "the sum is wrong");
}

/* The time of such a sum along a tree. */
static double
driver_time(int P, int64_t n, int64_t serial)
{
    int rounds = 0;

    while (1 << rounds < P)
        rounds++;
    return (double)(serial + n / P + rounds) * DRIVER_TAU + rounds * (double)(DRIVER_ALPHA + DRIVER_BETA);
}

/* Of n numbers, on P nodes. */
static double
driver_efficiency(int P, int64_t n)
{
    return (double)n * DRIVER_TAU / (P * driver_time(P, n, 0));
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "sum";
    int64_t n = argc > 2 ? atoll(argv[2]) : 0;
    uint32_t seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    int P = peal_size(me);

    if (strcmp(what, "sum") == 0) {
        driver_sum(me, n, seed);
        return;
    }
    if (peal_rank(me) != 0)
        return;
    if (strcmp(what, "iso") != 0) {
        int64_t serial = strcmp(what, "amdahl") == 0 ? 50 + seed % 500 : 0;
        double expected = (double)(n + serial) * DRIVER_TAU / driver_time(P, n, serial);
        double got = my_speedup(P, n, serial, DRIVER_ALPHA, DRIVER_BETA, DRIVER_TAU);

        if (!(fabs(got - expected) <= 1e-9 * expected))
            peal_abort(me, "my_speedup is not T(1)/T(P)");
        return;
    }
    for (int e = 50; e <= 90; e += 20) {
        double efficiency = e / 100.0;
        int64_t least = my_least_n(P, efficiency, DRIVER_ALPHA, DRIVER_BETA, DRIVER_TAU);

        if (least < P || least % P != 0)
            peal_abort(me, "my_least_n: P does not divide it");
        if (driver_efficiency(P, least) < efficiency - 1e-12)
            peal_abort(me, "my_least_n: the efficiency is lower");
        if (least > P && driver_efficiency(P, least - P) >= efficiency - 1e-12)
            peal_abort(me, "my_least_n: fewer numbers have this efficiency, too");
    }
}
