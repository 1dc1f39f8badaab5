/* SPDX-License-Identifier: MIT */
/* A sum that scales: complete the three functions. */
#include <peal/peal.h>

/* The sum of all nodes' numbers, of which this node has x[0] to x[count-1]; on node 0. */
int64_t
my_sum(struct peal_node *me, const int64_t *x, int64_t count)
{
    /* your turn */
    (void)me, (void)x, (void)count;
    return -1;
}

/* T(1)/T(P). */
double
my_speedup(int P, int64_t n, int64_t serial, double alpha, double beta, double tau)
{
    /* your turn */
    (void)P, (void)n, (void)serial, (void)alpha, (void)beta, (void)tau;
    return 0;
}

/* The least n, a multiple of P, at which the efficiency is at least this. */
int64_t
my_least_n(int P, double efficiency, double alpha, double beta, double tau)
{
    /* your turn */
    (void)P, (void)efficiency, (void)alpha, (void)beta, (void)tau;
    return 0;
}
