/* SPDX-License-Identifier: MIT */
/* Exscan, shift-doubling: shift by one rank, then scan/shift-doubling among the ranks from 1 on.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}
 *   rounds       1 + ⌈log₂(P-1)⌉, P > 1
 *   cost         (1 + ⌈log₂(P-1)⌉)(α + βn)
 *   space        2n words
 *   keeps rank order, for any associative operator
 *   derivation   after the shift node i has x_{i-1}, and the scan of P-1 nodes does the rest
 *   source       Blelloch 1990, prescan from scan
 *
 *   P = 5
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4
 *     round 2    1 -> 2    2 -> 3    3 -> 4
 *     round 3    1 -> 3    2 -> 4                                                                            */
#include "../blocks.h"
#include "../catalog.h"
#include "../closed.h"

static void
run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    void *x = r > 0 ? peal_scratch(me, n) : NULL, *sum = r > 0 ? peal_scratch(me, n) : NULL;

    if (r + 1 < P)
        peal_send_async(me, a, n, r + 1);
    if (r > 0)
        peal_recv_async(me, sum, n, r - 1);
    peal_wait_all(me);
    for (int d = 1; d < P - 1 && r > 0; d <<= 1) {       /* rank 0 is done */
        if (r + d < P)
            peal_send_async(me, sum, n, r + d);
        if (r - d >= 1)
            peal_recv_async(me, x, n, r - d);
        peal_wait_all(me);
        if (r - d >= 1)
            peal_combine(op, x, sum, sum, n);
        else if (r + d >= P)
            peal_next_round(me);
    }
    if (r > 0)
        block_copy(me, a, sum, n);
}

static bool
cost(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum;
    int P = situation->nodes;

    closed_begin(&sum, situation, POSTS_EXCHANGE);
    if (P > 1)
        closed_add_climb(&sum, 1, closed_words(&sum));
    for (int d = 1; d < P - 1; d <<= 1)
        closed_add_full(&sum, 1, closed_words(&sum));
    return closed_end(&sum, cost);
}

const struct peal_algorithm exscan_shift_doubling = {
    .collective  = PEAL_EXSCAN,
    .name        = "shift-doubling",
    .summary     = "shift by one rank, then scan by shift-doubling",
    .run.exscan  = run,
    .cost        = cost,
    .closed_on   = "full",
    .closed_form = "(α + βn)(1 + ⌈log₂(P−1)⌉)",
    .optimal     = "α within 1 round",
    .source      = "Blelloch 1990, prescan from scan",
};
