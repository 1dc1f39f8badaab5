/* SPDX-License-Identifier: MIT */
/* Exscan, 123-doubling: shift by 1, 2, 3, 6, 12, .. ranks; in the second round nodes add their own vector to their
 * messages.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}; node 0 is unchanged
 *   rounds       ⌈log₂(P-1) + log₂(4/3)⌉, P > 1
 *   cost         (α + βn)⌈log₂(P-1) + log₂(4/3)⌉ on a full network
 *   space        3n words
 *   operations   q in q rounds at the nodes that combine most: one for each message but the first, and one to send in
 *                round 2.  The paper counts q-1; P = 7 is the smallest where a node needs q: node 4 combines for its
 *                message to 6, and the messages from 2 and from 1
 *   keeps rank order, for any associative operator
 *   derivation   prefixes.c: the sums cover 1, 3, 6, 12, .. ranks, after q > 1 rounds 3·2^(q-2) >= P-1
 *   source       Träff 2025, arXiv 2507.04785
 *
 *   P = 6
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4    4 -> 5
 *     round 2    0 -> 2    1 -> 3    2 -> 4    3 -> 5                 each with its own vector
 *     round 3    1 -> 4    2 -> 5                                                                            */
#include "../patterns/prefixes.h"

enum { OWN = 3 };                                        /* in rounds 1 and 2 */

static void
exscan_doubling_123_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    prefixes(me, op, a, n, OWN);
}

static void
exscan_doubling_123_cost(struct closed *sum)
{
    prefixes_closed(sum, OWN);
}

const struct peal_algorithm exscan_doubling_123 = {
    .collective  = PEAL_EXSCAN,
    .name        = "123-doubling",
    .summary     = "shift sums by 1, 2, 3, 6, 12, .. ranks",
    .run.exscan  = exscan_doubling_123_run,
    .cost        = exscan_doubling_123_cost,
    .closed_on   = "full line ring",
    .texts       = TEXTS(
        {.on = "full", .alpha = "α⌈log₂(4(P−1)/3)⌉", .beta = "βn⌈log₂(4(P−1)/3)⌉", .near = true}),
    .optimal     = "α within 1 round",
    .holds       = 6,
    .source      = "Träff 2025, arXiv 2507.04785",
};
