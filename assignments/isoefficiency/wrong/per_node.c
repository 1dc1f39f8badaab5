/* SPDX-License-Identifier: MIT */
/* Wrong: it gives the numbers of one node.
 *
 *   loses    isoefficiency
 */
#include <peal/peal.h>
#include <math.h>

int64_t
my_sum(struct peal_node *me, const int64_t *x, int64_t count)
{
    int P = peal_size(me), rank = peal_rank(me);
    int64_t sum = 0, other;

    for (int64_t i = 0; i < count; i++)
        sum += x[i];
    peal_compute(me, count);
    for (int mask = 1; mask < P; mask <<= 1) {
        if (rank & mask) {
            peal_send(me, &sum, 1, rank ^ mask);
            break;
        }
        if ((rank | mask) < P) {
            peal_recv(me, &other, 1, rank | mask);
            sum += other;
            peal_compute(me, 1);
        }
    }
    return sum;
}

static int
log2_of(int P)
{
    int rounds = 0;

    while (1 << rounds < P)
        rounds++;
    return rounds;
}

double
my_speedup(int P, int64_t n, int64_t serial, double alpha, double beta, double tau)
{
    double tree = log2_of(P) * (alpha + beta + tau);

    return (double)(n + serial) * tau / ((double)(serial + n / P) * tau + tree);
}

int64_t
my_least_n(int P, double efficiency, double alpha, double beta, double tau)
{
    /* E = nτ / (nτ + P·tree), so n = E/(1-E) · P·tree/τ */
    double tree = log2_of(P) * (alpha + beta + tau);
    int64_t each = (int64_t)ceil(efficiency / (1 - efficiency) * tree / tau - 1e-9);

    return (each > 0 ? each : 1);
}
