/* SPDX-License-Identifier: MIT */
/* Circular shift, direct: every node sends once.
 *
 *   before       node i has n words
 *   after        node (i + by) mod P has them
 *   rounds       1, none when P divides `by`
 *   cost         α + βnk; k = 1 on full networks and hypercubes, min(by, P-by) on lines and rings
 *   space        none
 *   derivation   closed.c, closed_add_shift
 *   source       Grama et al. 2003, section 4.6
 *
 *   P = 5, by 2
 *     round 1    0 -> 2    1 -> 3    2 -> 4    3 -> 0    4 -> 1                                              */
#include "../catalog.h"

static void
shift_direct_run(struct peal_node *me, const void *in, size_t n, int by, void *out)
{
    int P = peal_size(me), r = peal_rank(me);

    if (by == 0)
        block_copy(me, out, in, n);
    else
        peal_sendrecv(me, in, n, (r + by) % P, out, n, (r - by + P) % P);
}

static void
shift_direct_cost(struct closed *sum)
{
    if (sum->situation->by > 0)
        closed_add_shift(sum, sum->situation->by, closed_words(sum));
}

const struct peal_algorithm shift_direct = {
    .collective  = PEAL_SHIFT,
    .name        = "direct",
    .summary     = "every node sends once",
    .run.shift   = shift_direct_run,
    .cost        = shift_direct_cost,
    .texts       = TEXTS(
        {.on = "full", .when = "by ≥ 1", .alpha = "α", .beta = "βn", .near = true, .cited = ""},
        {.on = "line", .when = "by ≥ 1", .alpha = "α", .beta = "βn min(by, P−by)", .hop = "t_d max(by, P−by)",
         .stored = "βn(by(P−by)−⌊min(by, P−by)²/4⌋)"},
        {.on = "ring", .when = "by ≥ 1", .alpha = "α", .beta = "βn min(by, P−by)", .hop = "t_d min(by, P−by)",
         .stored = "βn min(by, P−by)²"},
        {.on = "hypercube", .when = "by ≥ 1", .alpha = "α", .beta = "βn",
         .hop = "t_d(log₂P−1+popcount(by)−popcount(by−1))", .stored = "βn(log₂P−1+popcount(by)−popcount(by−1))",
         .cited = ""},
        {.on = "hypercube", .when = "by ≥ 1", .alpha = "α", .beta = "βn", .cited = ""}),
    .optimal     = "α; β on full networks and hypercubes",
    .source      = "Grama et al. 2003, section 4.6",
};
