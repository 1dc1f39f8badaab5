/* SPDX-License-Identifier: MIT */
/* Exscan, recursive-doubling: exchange the sum of one's group of 1, 2, 4, .. nodes with the neighbouring group.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}; node 0 is unchanged
 *   rounds       ⌈log₂P⌉: one less than a shift and a scan
 *   cost         ⌈log₂P⌉(α + βn), any P; on a line of 2^q nodes α log₂P + βn(P-1)
 *   space        2n words
 *   keeps rank order, for any associative operator
 *   derivation   scan/recursive-doubling, where a node begins with nothing instead of its own words: the first sum from
 *                below is copied (for odd ranks in the first round)
 *   source       MPICH, exscan by recursive doubling
 *
 *   P = 5
 *     round 1    0 -> 1    1 -> 0    2 -> 3    3 -> 2
 *     round 2    0 -> 2    2 -> 0    1 -> 3    3 -> 1
 *     round 3    0 -> 4    4 -> 0                                                                            */
#include "../catalog.h"

static void
exscan_recursive_doubling_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    void *group = peal_scratch(me, n), *x = peal_scratch(me, n);
    bool nothing = true;                                 /* no sum from below yet */

    block_copy(me, group, a, n);
    for (int d = 1; d < P; d <<= 1) {
        int partner = r ^ d;

        if (partner >= P) {
            peal_next_round(me);
            continue;
        }
        peal_sendrecv(me, group, n, partner, x, n, partner);
        if (partner > r) {
            peal_combine(op, group, x, group, n);
            continue;
        }
        if (nothing)
            block_copy(me, a, x, n);
        else
            peal_combine(op, x, a, a, n);
        nothing = false;
        peal_combine(op, x, group, group, n);
    }
}

const struct peal_algorithm exscan_recursive_doubling = {
    .collective  = PEAL_EXSCAN,
    .name        = "recursive-doubling",
    .summary     = "exchange the sum of the group of 1, 2, 4, .. nodes",
    .run.exscan  = exscan_recursive_doubling_run,
    .costs_as    = &scan_recursive_doubling,
    .texts       = scan_doubling_texts,
    .optimal     = "α",
    .holds       = 5,
    .source      = "MPICH, exscan by recursive doubling",
};
