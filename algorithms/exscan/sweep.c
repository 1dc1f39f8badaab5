/* SPDX-License-Identifier: MIT */
/* Exscan, sweep: shift by one rank, then scan up and down a binary tree of the ranks 1 .. P-1.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}; node 0 is unchanged
 *   rounds       2 + ⌊log₂(P-1)⌋ + ⌊log₂⌊(P-1)/3⌋⌋ for P > 3
 *   cost         those rounds, each α + βn, on full networks, lines and rings; any P
 *   space        n words
 *   keeps rank order, for any associative operator
 *   derivation   after the shift node i > 0 has x_{i-1}; then scan/sweep among P-1 nodes
 *   source       Blelloch 1990, prescan from scan
 *
 *   P = 5
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4
 *     round 2    1 -> 2    3 -> 4
 *     round 3    2 -> 4
 *     round 4    2 -> 3                                                                                      */
#include "../patterns/sweep.h"

static void
exscan_sweep_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    void *x = r > 0 ? peal_scratch(me, n) : NULL;

    if (r < P - 1)
        peal_send_async(me, a, n, r + 1);
    if (r > 0)
        peal_recv_async(me, x, n, r - 1);
    peal_wait_all(me);
    if (r > 0) {
        block_copy(me, a, x, n);
        sweep(me, op, a, n, 1);
    }
}

static void
exscan_sweep_cost(struct closed *sum)
{
    if (sum->situation->nodes > 1)
        closed_add_climb(sum, 1, closed_words(sum));
    sweep_closed(sum, 1);
}

const struct peal_algorithm exscan_sweep = {
    .collective  = PEAL_EXSCAN,
    .name        = "sweep",
    .summary     = "shift by one, then scan up and down a binary tree",
    .run.exscan  = exscan_sweep_run,
    .cost        = exscan_sweep_cost,
    .closed_on   = "full line ring",
    .texts       = TEXTS(
        {.on = "full", .alpha = "α(1+⌊log₂(P−1)⌋+⌈log₂(⌊(P−1)/3⌋+1)⌉)", .beta = "βn(1+⌊log₂(P−1)⌋+⌈log₂(⌊(P−1)/3⌋+1)⌉)",
         .near = true},
        {.on = "line ring", .alpha = "α(1+⌊log₂(P−1)⌋+⌈log₂(⌊(P−1)/3⌋+1)⌉)",
         .beta = "βn(1+⌊log₂(P−1)⌋+⌈log₂(⌊(P−1)/3⌋+1)⌉)", .hop = "t_d(2^⌊log₂(P−1)⌋+2^⌈log₂(⌊(P−1)/3⌋+1)⌉−1)",
         .stored = "βn(2^⌊log₂(P−1)⌋+2^⌈log₂(⌊(P−1)/3⌋+1)⌉−1)"}),
    .optimal     = "α within 2, on a line too",
    .holds       = 4,
    .source      = "Blelloch 1990, prescan from scan",
};
