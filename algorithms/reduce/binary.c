/* SPDX-License-Identifier: MIT */
/* Reduce, binary:B: B pieces of the vectors go up a binary tree; each node receives from its two children alternately.
 *
 *   before       node i has n words xᵢ
 *   after        the root has the combination of all; the vectors of the others are unchanged
 *   rounds       H + 2(B-1), H as in broadcast/binary.c: about 2log₂P
 *   cost         α(H-2+2B) + β(2n + (H-2)⌈n/B⌉) on a full network, P > 2
 *   space        n words and a piece at inner nodes, a piece at the root, none at a leaf
 *   needs an operator that commutes: subtrees are not ranges of ranks.  in-order is the binary tree that keeps their
 *   order
 *   derivation   the broadcast of broadcast/binary.c backwards
 *   source       Open MPI's bintree; the times are derived
 *
 *   P = 5, B = 1, root 0
 *     round 1    4 -> 1                             x₁x₄
 *     round 2    3 -> 1     2 -> 0                  x₁x₃x₄     x₀x₂
 *     round 3    1 -> 0                             all                                                     */
#include "../patterns/trees.h"

static void
reduce_binary_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct streams streams;
    struct pipeline pipeline = binary_plan(&streams, me, root, peal_parameter(me));

    pipeline_reduce(me, op, a, n, root, &pipeline);
}

const struct peal_algorithm reduce_binary = {
    .collective        = PEAL_REDUCE,
    .name              = "binary",
    .summary           = "pieces of the vectors go up a binary tree",
    .run.reduce        = reduce_binary_run,
    .needs.commutative = true,
    .parameter         = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = binary_pieces},
    .costs_as          = &broadcast_binary,
    .closed_on         = "full",
    .texts             = binary_texts,
    .optimal           = "β within 2",
    .differs           = PEAL_DIFFERS(ROOTS),
    .source            = "Open MPI, bintree",
};
