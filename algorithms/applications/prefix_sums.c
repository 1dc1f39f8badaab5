/* SPDX-License-Identifier: MIT */
/* Prefix sums: every node sums its items, the sums are scanned by recursive doubling, and added to the node's own.
 *
 *   before       node i has part i of n items of m words
 *   after        item i is the sum of items 0 .. i, word by word
 *   rounds       ⌈log₂P⌉
 *   cost         ⌈log₂P⌉(α + βm) on a full network or hypercube, on a line or ring ⌈log₂P⌉α + β(P-1)m for P = 2^q; any
 *                P
 *   space        3m words
 *   operations   an item: m to sum, m to add; a round: 2m
 *   derivation   in the round of d = 1, 2, 4, .. aligned groups of d nodes are joined in pairs: `all` becomes the sum
 *                of the pair's, `before` that of all lower nodes in it.  On a line d messages share a link, P-d in a
 *                last group that is cut short: Σ min(d, P-d).  A node without partner rests, so all end in the same
 *                round
 *   source       Grama et al. 2003, section 4.3
 *
 *   P = 5
 *     round 1    0 <-> 1     2 <-> 3
 *     round 2    0 <-> 2     1 <-> 3
 *     round 3    0 <-> 4                                                                                    */
#include "kit.h"
#include <math.h>

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t m = problem->parameter[0], first = part_first(problem->n, P, r), items = part_size(problem->n, P, r);
    int64_t *all = peal_alloc(me, m), *before = peal_alloc(me, m), *theirs = peal_alloc(me, m);
    const int64_t *mine = (const int64_t *)in + first * m;
    int64_t *sums = (int64_t *)out + first * m;

    for (size_t i = 0; i < items * m; i++)
        sums[i] = all[i % m] += mine[i];
    peal_compute(me, (int64_t)(items * m));

    for (int d = 1; d < P; d <<= 1) {
        int partner = r ^ d;
        if (partner >= P) {
            peal_next_round(me);
            continue;
        }
        peal_sendrecv(me, all, m, partner, theirs, m, partner);
        if (partner < r)
            peal_sum_int64.combine(theirs, before, before, m);
        peal_sum_int64.combine(all, theirs, all, m);
        peal_compute(me, (int64_t)(partner < r ? 2 * m : m));
    }
    for (size_t i = 0; i < items * m; i++)
        sums[i] += before[i % m];
    peal_compute(me, (int64_t)(items * m));
}

static bool
words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return count_words(problem->n, problem->parameter[0], 1, in) &&
           count_words(problem->n, problem->parameter[0], 1, out);
}

static void
make(const struct peal_problem *problem, void *in)
{
    for (size_t i = 0; i < problem->n * problem->parameter[0]; i++)
        ((int64_t *)in)[i] = (int64_t)(made_bits(problem->seed, i) % 2001) - 1000;
}

static bool
reference(const struct peal_problem *problem, const void *in, void *out)
{
    size_t m = problem->parameter[0];

    for (size_t i = 0; i < problem->n * m; i++)
        ((int64_t *)out)[i] = ((const int64_t *)in)[i] + (i >= m ? ((int64_t *)out)[i - m] : 0);
    return true;
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t n = problem->n, m = problem->parameter[0], k, hops, last = 0;
    int P = problem->machine.nodes, top = P > 1 ? 1 << (log2_up((size_t)P) - 1) : 0;
    struct tally tally = tally_of(problem, true);

    tally_compute(&tally, part_size(n, P, 0) * m);
    for (int d = 1; d < P; d <<= 1) {
        tally.known = tally.known && flip_of(problem, d, &k, &hops);
        if (tally.known)
            tally_rounds(&tally, 1, m * k, k, hops);
        if (d != top)
            tally_compute(&tally, 2 * m);
    }
    for (int r = 0; r < P; r++)                          /* the last round's sums, and the node's items */
        last = larger(last, part_size(n, P, r) * m + (r & top ? 2 * m : top > 0 && (r ^ top) < P ? m : 0));
    tally_compute(&tally, last);
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes, m = (double)problem->parameter[0];

    return (struct peal_estimate){log2(P), (way_of_all(problem) == WAY_LINE ? P - 1 : log2(P)) * m};
}

const struct peal_application app_prefix_sums = {
    .name        = "prefix-sums",
    .summary     = "prefix sums of n items, by recursive doubling between the nodes",
    .size        = "items",
    .usual_size  = 1000,
    .parameters  = {{"width", "m, words of an item", 1, 1}},
    .needs       = "",
    .whole       = true,
    .words       = words,
    .make        = make,
    .run         = run,
    .reference   = reference,
    .compared    = "exactly: whole numbers",
    .cost        = cost,
    .closed_form = "⌈log₂P⌉(α + βm), on lines and rings β·Σ min(d, P−d)·m over d = 1, 2, 4, ..; τ·2m an item, "
                   "2m a round",
    .estimate    = estimate,
    .formula     = "log₂P(α + βm), on a line βm(P−1)",
    .differs     = "logarithms round up; where P is not a power of two the last group is cut short",
    .operations  = "an addition of words",
    .source      = "Grama et al. 2003, section 4.3",
};
