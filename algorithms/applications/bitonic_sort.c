/* SPDX-License-Identifier: MIT */
/* Bitonic sort: runs of blocks are merged in pairs, by exchanges over ever smaller distances.
 *
 *   before       node i has n/P keys, P = 2^q
 *   after        node i has the i-th block of n/P keys in sorted order
 *   rounds       q(q+1)/2
 *   cost         (q(q+1)/2)(α + βn/P) on a full network or hypercube; on a line or ring (q(q+1)/2)α + β(n/P)(2(P-1) -
 *                q); n/P is rounded up, and the last blocks filled up with the greatest number
 *   space        3 blocks
 *   operations   (n/P)log₂(n/P) comparisons to begin with, n/P a round
 *   derivation   stage i = 1 .. q has the distances 2^(i-1), .., 2, 1.  On a line d messages share a link at distance
 *                d, and Σ (2^i - 1) = 2(P-1) - q; on meshes and tori of powers of two d counts in its own dimension
 *   source       Batcher 1968; Grama et al. 2003, section 9.2
 *
 *   P = 4 (a power of two: it needs one); the node that keeps the lower half is first
 *     round 1    0 <-> 1     3 <-> 2
 *     round 2    0 <-> 2     1 <-> 3
 *     round 3    0 <-> 1     2 <-> 3                                                                        */
#include "kit.h"
#include <math.h>

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct keys keys = keys_take(me, problem, in);

    sort_keys(me, keys.mine, keys.b);
    for (int length = 2; length <= P; length <<= 1)      /* of the runs that are merged */
        for (int bit = length >> 1; bit >= 1; bit >>= 1) {
            int partner = r ^ bit;
            bool upwards = (r & length) == 0;
            compare_split(me, &keys, partner, (r < partner) == upwards);
        }
    keys_give(me, problem, &keys, out);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t P = (size_t)problem->machine.nodes, b = problem->n / P + (problem->n % P != 0), k, hops;
    struct tally tally = tally_of(problem, true);

    tally_compute(&tally, b * (size_t)log2_up(b));
    for (int length = 2; length <= (int)P; length <<= 1)
        for (int bit = length >> 1; bit >= 1; bit >>= 1) {
            tally.known = tally.known && flip_of(problem, bit, &k, &hops);
            if (tally.known)
                tally_rounds(&tally, 1, b * k, k, hops);
            tally_compute(&tally, b);
        }
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes, q = log2(P), b = (double)problem->n / P;
    enum way way = way_of_all(problem);

    return (struct peal_estimate){q * (q + 1) / 2,
                                  way == WAY_LINE || way == WAY_RING ? b * (2 * (P - 1) - q) : b * q * (q + 1) / 2};
}

const struct peal_application app_bitonic_sort = {
    .name        = "bitonic-sort",
    .summary     = "sort: merge runs by exchanges over halving distances; at home on a hypercube",
    SORT_OF_KEYS,
    .needs       = "P = 2^q",
    .fits        = need_power_of_two,
    .run         = run,
    .cost        = cost,
    .closed_form = "(q(q+1)/2)(α + β⌈n/P⌉), on lines and rings β⌈n/P⌉(2(P−1) − q); τ·⌈n/P⌉(⌈log₂⌈n/P⌉⌉ + q(q+1)/2)",
    .estimate    = estimate,
    .formula     = "(q(q+1)/2)(α + βn/P), on lines β(n/P)(2(P−1) − q)",
    .differs     = "blocks are n/P rounded up; meshes and tori lie in between",
    .source      = "Batcher 1968; Grama et al. 2003, section 9.2",
};
