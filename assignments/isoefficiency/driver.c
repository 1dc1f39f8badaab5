/* SPDX-License-Identifier: MIT */
/* A sum that scales: run my_sum and print the sum; print what my_speedup and my_least_n say.
 *
 *   argv[1]   sum; speedup; amdahl, with serial work; iso
 *   argv[2]   n, the numbers of all nodes together */
#include <peal/peal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t my_sum(struct peal_node *me, const int64_t *x, int64_t count);
double my_speedup(int P, int64_t n, int64_t serial, double alpha, double beta, double tau);
int64_t my_least_n(int P, double efficiency, double alpha, double beta, double tau);

/* The machine's prices (peal grade has α = 1000, β = 1); a driver's τ is what an operation declares. */
enum { DRIVER_ALPHA = 1000, DRIVER_BETA = 1, DRIVER_TAU = 3 };

/* Add n numbers; node 0 prints the result. */
static void
driver_sum(struct peal_node *me, int64_t n)
{
    int64_t count = n / peal_size(me), *x = peal_alloc(me, (size_t)count + 1);

    for (int64_t i = 0; i < count; i++)
        x[i] = (int64_t)(peal_random(me) >> 16);
    int64_t sum = my_sum(me, x, count);

    if (peal_rank(me) == 0)
        printf("sum=%lld\n", (long long)sum);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "sum";
    int64_t n = argc > 2 ? atoll(argv[2]) : 0;
    int P = peal_size(me);

    if (strcmp(what, "sum") == 0) {
        driver_sum(me, n);
        return;
    }
    if (peal_rank(me) != 0)
        return;
    if (strcmp(what, "iso") != 0) {
        int64_t serial = strcmp(what, "amdahl") == 0 ? 50 + (int64_t)(peal_random(me) % 500) : 0;

        printf("T(1)/T(P) = %.12g\n", my_speedup(P, n, serial, DRIVER_ALPHA, DRIVER_BETA, DRIVER_TAU));
        return;
    }
    for (int e = 50; e <= 90; e += 20)
        printf("n(.%d)=%lld\n", e, (long long)my_least_n(P, e / 100.0, DRIVER_ALPHA, DRIVER_BETA, DRIVER_TAU));
}
