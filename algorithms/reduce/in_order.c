/* SPDX-License-Identifier: MIT */
/* Reduce, in-order:B: B pieces of the vectors go up a binary tree in which the rank of every node is between those of
 * its two subtrees.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       H + 2(B-1), H the rounds until a piece of the farthest leaf arrives: about 2log₂P
 *   cost         α(H-2+2B) + β(2n + (H-2)⌈n/B⌉) on a full network, P > 2
 *   space        n words and a piece at inner nodes, a piece at the root, none at a leaf
 *   keeps rank order, for any root and any associative operator
 *   derivation   the root's children are the tops of two trees, of the ranks below it and of those above.  In a tree on
 *                1 .. N the parent of v, h its lowest bit set, is (v-h)|2h if that node exists, else v-h.  As a
 *                broadcast, the left child (or the only one) comes first: a(child i) = a(parent) + i (trees.c);
 *                backwards it is the reduce
 *   source       Open MPI's in_order_bintree, whose top is the last rank; the form of the tree is Peal's own
 *
 *   P = 6, B = 1, root 2
 *     round 1    5 -> 4                             x₄x₅
 *     round 2    3 -> 4                             x₃x₄x₅
 *     round 3    4 -> 2     0 -> 1                  x₂x₃x₄x₅     x₀x₁
 *     round 4    1 -> 2                             all                                                     */
#include "../patterns/trees.h"

static void
reduce_in_order_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct streams streams;
    struct pipeline pipeline = in_order_plan(&streams, me, root, peal_parameter(me));

    pipeline_reduce(me, op, a, n, root, &pipeline);
}

static void
reduce_in_order_cost(struct closed *sum)
{
    in_order_closed(sum, closed_parameter(sum->situation, in_order_pieces));
}

const struct peal_algorithm reduce_in_order = {
    .collective  = PEAL_REDUCE,
    .name        = "in-order",
    .summary     = "pieces go up a binary tree whose every subtree is a range of ranks",
    .run.reduce  = reduce_in_order_run,
    .parameter   = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = in_order_pieces},
    .cost        = reduce_in_order_cost,
    .closed_on   = "full",
    .optimal     = "β within 2",
    .differs     = PEAL_DIFFERS(ROOTS),
    .source      = "Open MPI, in-order binary tree",
};
