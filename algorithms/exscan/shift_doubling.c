/* SPDX-License-Identifier: MIT */
/* Exscan, shift-doubling: shift by one rank, then scan/shift-doubling among the ranks from 1 on.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}
 *   rounds       1 + ⌈log₂(P-1)⌉, P > 1
 *   cost         (1 + ⌈log₂(P-1)⌉)(α + βn)
 *   space        2n words
 *   keeps rank order, for any associative operator
 *   derivation   after the shift node i has x_{i-1}, and the scan of P-1 nodes does the rest: prefixes.c, where
 *                only the first round sends own vectors
 *   source       Blelloch 1990, prescan from scan
 *
 *   P = 5
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4
 *     round 2    1 -> 2    2 -> 3    3 -> 4
 *     round 3    1 -> 3    2 -> 4                                                                            */
#include "../patterns/prefixes.h"

enum { OWN = 1 };                                        /* the shift */

static void
exscan_shift_doubling_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    prefixes(me, op, a, n, OWN);
}

static void
exscan_shift_doubling_cost(struct closed *sum)
{
    prefixes_closed(sum, OWN);
}

const struct peal_algorithm exscan_shift_doubling = {
    .collective  = PEAL_EXSCAN,
    .name        = "shift-doubling",
    .summary     = "shift by one rank, then scan by shift-doubling",
    .run.exscan  = exscan_shift_doubling_run,
    .cost        = exscan_shift_doubling_cost,
    .closed_on   = "full line ring",
    .texts       = TEXTS(
        {.on = "full", .alpha = "α(1+⌈log₂(P−1)⌉)", .beta = "βn(1+⌈log₂(P−1)⌉)", .near = true}),
    .optimal     = "α within 1 round",
    .holds       = 4,
    .source      = "Blelloch 1990, prescan from scan",
};
