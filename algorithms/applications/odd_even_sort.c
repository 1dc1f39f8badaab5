/* SPDX-License-Identifier: MIT */
/* Odd-even transposition sort: neighbours exchange their blocks, the left one keeps the lower half, the right one the
 * upper.
 *
 *   before       node i has n/P keys
 *   after        node i has the i-th block of n/P keys in sorted order
 *   rounds       P; 1 for two nodes, since only one of the two rounds has a pair
 *   cost         Pα + βn, any P; n/P is rounded up, and the last blocks filled up with the greatest number
 *   space        3 blocks
 *   operations   (n/P)log₂(n/P) comparisons to begin with, n/P a round
 *   derivation   P rounds sort P numbers (0-1 principle), and blocks as numbers, if they are equally long.  Neighbours
 *                on a line have their link to themselves, in either direction
 *   source       Grama et al. 2003, section 9.3.1
 *
 *   P = 5
 *     round 1    0 <-> 1     2 <-> 3
 *     round 2    1 <-> 2     3 <-> 4
 *     round 3, 4, 5  as 1, 2, 1                                                                             */
#include "kit.h"

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct keys keys = keys_take(me, problem, in);

    sort_keys(me, keys.mine, keys.b);
    for (int round = 0; round < P; round++) {
        int partner = (r + round) % 2 == 0 ? r + 1 : r - 1;
        if (partner >= 0 && partner < P)
            compare_split(me, &keys, partner, r < partner);
    }
    keys_give(me, problem, &keys, out);
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t P = (size_t)problem->machine.nodes, b = problem->n / P + (problem->n % P != 0), rounds = P > 2 ? P : P - 1;
    enum way way = way_of_all(problem);
    struct tally tally = tally_of(problem, true);

    tally.known = tally.known && (way != WAY_CUBE || P <= 2);           /* where r and r+1 may be far apart */
    tally_next(&tally, rounds, way, (int)P, b);
    tally_compute(&tally, b * (size_t)log2_up(b) + rounds * b);
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    return (struct peal_estimate){problem->machine.nodes, (double)problem->n};
}

const struct peal_application app_odd_even_sort = {
    .name        = "odd-even-sort",
    .summary     = "sort: neighbours exchange blocks, P times; at home on a line",
    SORT_OF_KEYS,
    .needs       = "",
    .run         = run,
    .cost        = cost,
    .closed_form = "P(α + β⌈n/P⌉), P > 2; τ·(⌈n/P⌉⌈log₂⌈n/P⌉⌉ + n)",
    .estimate    = estimate,
    .formula     = "Pα + βn",
    .differs     = "blocks are n/P rounded up; one node has no rounds, two have one",
    .source      = "Grama et al. 2003, section 9.3.1",
};
