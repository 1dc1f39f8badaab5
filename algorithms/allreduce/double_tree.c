/* SPDX-License-Identifier: MIT */
/* All-reduce, double-tree:B: B pieces go up two binary trees to rank 0 alternately, and then down again.
 *
 *   before       node i has n words xᵢ
 *   after        every node has the combination of all
 *   rounds       2(B + D), D about 2log₂P
 *   cost         2α(B+D) + 2β(n + D⌈n/B⌉) on a full network, P > 3; B is the number after the name, by default the best
 *   space        n words and a piece
 *   rank order   is not kept; needs a commutative operator
 *   derivation   reduce/two-tree, then broadcast/two-tree.  With one port each way an inner node's ports are full in
 *                both, so the second cannot begin before the first has ended; with two ports it could (NCCL)
 *   source       Sanders, Speck, Träff 2009; NCCL, tree algorithm
 *
 *   P = 3, B = 2
 *     round 1    2 -> 1 {1}
 *     round 2    1 -> 2 {0}
 *     round 3    1 -> 0 {1}
 *     round 4    2 -> 0 {0}
 *     rounds 5 to 8: the same messages, reversed in direction and in order                                  */
#include "../patterns/two_trees.h"

static void
allreduce_double_tree_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    reduce_two_tree.run.reduce(me, op, a, n, 0);         /* both with the number of pieces that was set on me */
    broadcast_two_tree.run.broadcast(me, a, n, 0);
}

static void
allreduce_double_tree_cost(struct closed *sum)
{
    int pieces = closed_parameter(sum->situation, two_trees_pieces);

    two_trees_closed(sum, pieces);
    two_trees_closed(sum, pieces);
}

const struct peal_algorithm allreduce_double_tree = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "double-tree",
    .summary           = "pieces go up two binary trees by turns, then down",
    .run.allreduce     = allreduce_double_tree_run,
    .needs.commutative = true,
    .parameter         = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = two_trees_pieces},
    .cost              = allreduce_double_tree_cost,
    .texts             = TEXTS(
        {.when = "P = 2", .alpha = "2αB", .beta = "2βn", .near = true, .names = "B = parameter"},
        {.when = "P ≥ 4", .alpha = "2α(B+D)", .beta = "2β(n+D⌈n/B⌉)", .near = true,
         .names = "x = 2⌈P/2⌉, D = 2⌊log₂(x−1)⌋−[(x mod 4) = 2], B = parameter"}),
    .closed_on         = "full",
    .optimal           = "β for long vectors",
    .differs           = PEAL_DIFFERS(SIZES),
    .source            = "Sanders, Speck, Träff 2009; NCCL, tree algorithm",
};
