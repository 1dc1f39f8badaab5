/* SPDX-License-Identifier: MIT */
/* Exscan, census: the sums cover as many ranks as the leading bits of P-1 count, so that the last round ends exactly at
 * P-1.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}; node 0 is unchanged
 *   rounds       ⌈log₂P⌉
 *   cost         (α + βn)⌈log₂P⌉ on a full network, any P
 *   space        3n words
 *   operations   q-1 for received sums in q rounds, and one for each bit of P-1 that is 1 but the first
 *   keeps rank order, for any associative operator
 *   derivation   prefixes.c: in round k nodes add their own vector if bit k of P-1 is 1, from the highest on, and c
 *                runs through the leading bits of P-1.  It is the all-reduce in which node i gets c sums of the ranks
 *                before it, round the end, without the end
 *   source       Träff 2026, arXiv 2604.25667, second algorithm; the all-reduce is that of Bar-Noy, Kipnis, Schieber
 *                1993
 *
 *   P = 6: P-1 = 101 in binary
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4    4 -> 5
 *     round 2              1 -> 2    2 -> 3    3 -> 4    4 -> 5
 *     round 3    0 -> 3    1 -> 4    2 -> 5                           each with its own vector                 */
#include "../patterns/prefixes.h"

/* The bits of P-1, the highest first. */
static uint32_t
bits(int P)
{
    uint32_t own = 0;

    for (int left = P - 1; left > 0; left >>= 1)
        own = own << 1 | (uint32_t)(left & 1);
    return own;
}

static void
exscan_census_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    prefixes(me, op, a, n, bits(peal_size(me)));
}

static void
exscan_census_cost(struct closed *sum)
{
    prefixes_closed(sum, bits(sum->situation->nodes));
}

const struct peal_algorithm exscan_census = {
    .collective  = PEAL_EXSCAN,
    .name        = "census",
    .summary     = "shift sums over as many ranks as the leading bits of P−1 say",
    .run.exscan  = exscan_census_run,
    .cost        = exscan_census_cost,
    .closed_on   = "full line ring",
    .texts       = TEXTS(
        {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .near = true}),
    .optimal     = "α",
    .holds       = 6,
    .source      = "Träff 2026, arXiv 2604.25667",
};
