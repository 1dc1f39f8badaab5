/* SPDX-License-Identifier: MIT */
/* Reduce, linear: every node sends its vector to the root, which combines them in the order of the ranks.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       P-1
 *   cost         (P-1)(α + βn), any P
 *   space        n words at the root, 2n unless it is rank 0
 *   keeps rank order
 *   derivation   the root waits for each vector before it asks for the next; one message a round shares no link, and
 *                the hops are the sum of the distances to the root
 *   source       Open MPI's basic linear reduce
 *
 *   P = 5, root 2
 *     round 1    0 -> 2      sum = x₀
 *     round 2    1 -> 2      sum = x₀ ⊕ x₁, then its own: ⊕ x₂
 *     round 3    3 -> 2      sum ⊕ x₃
 *     round 4    4 -> 2      sum ⊕ x₄                                                                       */
#include "../catalog.h"

static void
reduce_linear_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me);
    void *lower, *x;

    if (peal_rank(me) != root) {
        peal_send(me, a, n, root);
        return;
    }
    x = P > 1 ? peal_scratch(me, n) : NULL;
    if (root > 0) {
        lower = peal_scratch(me, n);
        peal_recv(me, lower, n, 0);
        for (int i = 1; i < root; i++) {
            peal_recv(me, x, n, i);
            peal_combine(op, lower, x, lower, n);
        }
        peal_combine(op, lower, a, a, n);
    }
    for (int i = root + 1; i < P; i++) {
        peal_recv(me, x, n, i);
        peal_combine(op, a, x, a, n);
    }
}

const struct peal_algorithm reduce_linear = {
    .collective  = PEAL_REDUCE,
    .name        = "linear",
    .summary     = "the root takes every vector in the order of the ranks",
    .run.reduce  = reduce_linear_run,
    .cost        = closed_add_linear,
    .posts       = PEAL_POSTS_ONE,
    .texts       = linear_vector_texts,
    .optimal     = NULL,
    .holds       = 1,
    .source      = "Open MPI, basic linear reduce",
};
