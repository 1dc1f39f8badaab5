/* SPDX-License-Identifier: MIT */
/* Scan, recursive-doubling: exchange the sum of one's group of 1, 2, 4, .. nodes with the neighbouring group.
 *
 *   before       node i has n words xᵢ
 *   after        node i has x₀ ⊕ .. ⊕ xᵢ
 *   rounds       ⌈log₂P⌉
 *   cost         ⌈log₂P⌉(α + βn), any P; on a line of 2^q nodes α log₂P + βn(P-1)
 *   space        2n words
 *   keeps rank order, for any associative operator
 *   derivation   before the round of d a node has the sum of the group of d ranks it is in, and of those of its group
 *                up to itself.  A group without a neighbour has no node above it that needs its sum.  On a line d
 *                messages cross the middle of 2d ranks each way
 *   source       MPICH and Open MPI, scan by recursive doubling
 *
 *   P = 5
 *     round 1    0 -> 1    1 -> 0    2 -> 3    3 -> 2
 *     round 2    0 -> 2    2 -> 0    1 -> 3    3 -> 1
 *     round 3    0 -> 4    4 -> 0                                                                            */
#include "../catalog.h"

static void
scan_recursive_doubling_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    void *group = peal_scratch(me, n), *x = peal_scratch(me, n);

    block_copy(me, group, a, n);
    for (int d = 1; d < P; d <<= 1) {
        int partner = r ^ d;

        if (partner >= P) {
            peal_next_round(me);
            continue;
        }
        peal_sendrecv(me, group, n, partner, x, n, partner);
        if (partner < r) {
            peal_combine(op, x, a, a, n);
            peal_combine(op, x, group, group, n);
        } else {
            peal_combine(op, group, x, group, n);
        }
    }
}

static void
scan_recursive_doubling_cost(struct closed *sum)
{
    for (int d = 1; d < sum->situation->nodes; d <<= 1)
        closed_add_xor(sum, d, closed_words(sum));
}

const struct peal_algorithm scan_recursive_doubling = {
    .collective  = PEAL_SCAN,
    .name        = "recursive-doubling",
    .summary     = "exchange the sum of the group of 1, 2, 4, .. nodes",
    .run.scan    = scan_recursive_doubling_run,
    .cost        = scan_recursive_doubling_cost,
    .texts       = scan_doubling_texts,
    .optimal     = "α",
    .holds       = 4,
    .source      = "MPICH and Open MPI, scan by recursive doubling",
};
