/* SPDX-License-Identifier: MIT */
/* Scan, shift-doubling: add the sum so far of the node 1, 2, 4, .. ranks before.
 *
 *   before       node i has n words xᵢ
 *   after        node i has x₀ ⊕ .. ⊕ xᵢ
 *   rounds       ⌈log₂P⌉
 *   cost         ⌈log₂P⌉(α + βn), any P; on a line or ring βnΣmin(d, P-d) over d = 1, 2, 4, ..
 *   space        n words
 *   keeps rank order, for any associative operator
 *   derivation   after the round of d a node has the sum of 2d ranks, itself the last; nodes with fewer ranks before
 *                them receive nothing, but rest in no round.  Ranks i -> i+d without the wrap: min(d, P-d) of them over
 *                one link
 *   source       Hillis and Steele 1986; Grama et al. 2003, section 4.3
 *
 *   P = 5
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4
 *     round 2    0 -> 2    1 -> 3    2 -> 4
 *     round 3    0 -> 4                                                                                      */
#include "../catalog.h"

static void
scan_shift_doubling_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    void *x = r > 0 ? peal_scratch(me, n) : NULL;

    for (int d = 1; d < P; d <<= 1) {
        if (r + d < P)
            peal_send_async(me, a, n, r + d);
        if (r >= d)
            peal_recv_async(me, x, n, r - d);
        peal_wait_all(me);
        if (r >= d)
            peal_combine(op, x, a, a, n);
        else if (r + d >= P)
            peal_next_round(me);
    }
}

static void
scan_shift_doubling_cost(struct closed *sum)
{
    int P = sum->situation->nodes;

    for (int d = 1; d < P; d <<= 1)
        closed_add_climb(sum, d, closed_words(sum));
}

const struct peal_algorithm scan_shift_doubling = {
    .collective  = PEAL_SCAN,
    .name        = "shift-doubling",
    .summary     = "add the sum of the node 1, 2, 4, .. ranks before",
    .run.scan    = scan_shift_doubling_run,
    .cost        = scan_shift_doubling_cost,
    .closed_on   = "full line ring hypercube",
    .texts       = TEXTS(
        {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .near = true, .cited = "P = 2^q"},
        {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .hop = "t_d(2^⌈log₂P⌉−1)"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .hop = "t_d(P−1)"},
        {.on = "hypercube", .alpha = "αq", .beta = "βnq", .hop = "t_dq(q+1)/2", .stored = "βnq(q+1)/2",
         .names = "q = log₂P"},
        {.on = "line ring", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βn(P−1)",
         .stored = "βn((P²/4−1)/3+⌈3P²/16⌉)"}),
    .optimal     = "α",
    .source      = "Hillis and Steele 1986; Grama et al. 2003, section 4.3",
};
