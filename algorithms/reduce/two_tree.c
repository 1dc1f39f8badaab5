/* SPDX-License-Identifier: MIT */
/* Reduce, two-tree:B: B pieces go up two binary trees alternately; every node is a leaf of one of them, so all ports
 * are busy.
 *
 *   before       node i has n words xᵢ
 *   after        the root has the combination of all; the vectors of the others are unchanged
 *   rounds       B + D, D about 2log₂P, as in broadcast/two_tree.c
 *   cost         α(B+D) + β(n + D⌈n/B⌉) on a full network, P > 3; best B about √(Dβn/α)
 *   space        n words and a piece, only a piece at the root
 *   needs an operator that commutes
 *   derivation   the broadcast of broadcast/two_tree.c backwards
 *   source       Sanders, Speck, Träff, Parallel Computing 35 (2009) 581-594
 *
 *   P = 5, B = 2, root 0
 *     round 1    2 -> 3 {1}
 *     round 2    3 -> 2 {0}     4 -> 3 {1}
 *     round 3    1 -> 2 {0}     3 -> 1 {1}
 *     round 4    2 -> 4 {0}     1 -> 0 {1}
 *     round 5    4 -> 0 {0}                                                                                 */
#include "../patterns/two_trees.h"

static void
reduce_two_tree_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct streams streams;
    struct pipeline pipeline = two_trees_plan(&streams, me, root, peal_parameter(me));

    pipeline_reduce(me, op, a, n, root, &pipeline);
}

const struct peal_algorithm reduce_two_tree = {
    .collective        = PEAL_REDUCE,
    .name              = "two-tree",
    .summary           = "pieces go up two binary trees by turns",
    .run.reduce        = reduce_two_tree_run,
    .needs.commutative = true,
    .parameter         = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = two_trees_pieces},
    .costs_as          = &broadcast_two_tree,
    .texts             = two_tree_texts,
    .closed_on         = "full",
    .optimal           = "β for long vectors; α within 2",
    .differs           = PEAL_DIFFERS(ROOTS) | PEAL_DIFFERS(SIZES),
    .source            = "Sanders, Speck, Träff 2009",
};
