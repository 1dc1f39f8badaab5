/* SPDX-License-Identifier: MIT */
/* Scan, sweep: add up along a binary tree, then send the sums to the nodes between.
 *
 *   before       node i has n words xᵢ
 *   after        node i has x₀ ⊕ .. ⊕ xᵢ
 *   rounds       ⌊log₂P⌋ + ⌊log₂⌊P/3⌋⌋ + 1, 2 log₂P - 1 for P = 2^q; 1 for P = 2
 *   cost         those rounds, each α + βn, on full networks, lines and rings, and grids of extents 2^i; any P
 *   space        n words
 *   keeps rank order, for any associative operator
 *   derivation   sweep.c.  Twice the rounds of the others, but no link is shared on a line, where they take n(P-1)
 *   source       Brent and Kung 1982; Blelloch 1990; without padding
 *
 *   P = 6
 *     round 1    0 -> 1    2 -> 3    4 -> 5               01 23 45
 *     round 2    1 -> 3                                   0..3
 *     round 3    3 -> 5                                   0..5             d = 2 down
 *     round 4    1 -> 2    3 -> 4                         0..2 0..4        d = 1 down                       */
#include "../patterns/sweep.h"

static void
scan_sweep_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    sweep(me, op, a, n, 0);
}

static void
scan_sweep_cost(struct closed *sum)
{
    sweep_closed(sum, 0);
}

/* Up ⌊log₂P⌋ rounds of 1, 2, 4, .. hops, down as many as there are powers of two up to P/3. On a hypercube a carry
 * down runs through q-j bits. */
const struct peal_algorithm scan_sweep = {
    .collective  = PEAL_SCAN,
    .name        = "sweep",
    .summary     = "add up along a binary tree, then tell those between",
    .run.scan    = scan_sweep_run,
    .cost        = scan_sweep_cost,
    .posts       = PEAL_POSTS_ONE,
    .texts       = TEXTS(
        {.on = "full", .alpha = "α(⌊log₂P⌋+⌈log₂(⌊P/3⌋+1)⌉)", .beta = "βn(⌊log₂P⌋+⌈log₂(⌊P/3⌋+1)⌉)", .near = true},
        {.on = "line ring", .alpha = "α(⌊log₂P⌋+⌈log₂(⌊P/3⌋+1)⌉)", .beta = "βn(⌊log₂P⌋+⌈log₂(⌊P/3⌋+1)⌉)",
         .hop = "t_d(2^⌊log₂P⌋+2^⌈log₂(⌊P/3⌋+1)⌉−2)", .stored = "βn(2^⌊log₂P⌋+2^⌈log₂(⌊P/3⌋+1)⌉−2)"},
        {.on = "hypercube", .alpha = "α(2q−1)", .beta = "βn(2q−1)", .hop = "t_d(q(q+3)/2−1)",
         .stored = "βn(q(q+3)/2−1)", .names = "q = log₂P"},
        {.on = "mesh torus", .alpha = "α(⌊log₂P⌋+⌈log₂(⌊P/3⌋+1)⌉)", .beta = "βn(⌊log₂P⌋+⌈log₂(⌊P/3⌋+1)⌉)"}),
    .optimal     = "α within 2, on a line too",
    .source      = "Brent and Kung 1982; Blelloch 1990",
};
