/* SPDX-License-Identifier: MIT */
/* Broadcast, two-tree:B: B pieces go down two binary trees alternately; every node is a leaf of one of them, so all
 * ports are busy.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       B + D, D about 2log₂P: with m = P-1 or, if that is odd, P-2, it is 2⌊log₂m⌋, less 1 if 4 divides m
 *   cost         α(B+D) + β(n + D⌈n/B⌉) on a full network, P > 3; best B about √(Dβn/α)
 *   space        none
 *   derivation   the edges are coloured so that a node is never asked to send or to receive twice in a round
 *                (two_trees.c)
 *   source       Sanders, Speck, Träff, Parallel Computing 35 (2009) 581-594; the trees of NCCL
 *
 *   P = 5, B = 2, root 0: 4 -> 2 -> 1, 3 and 1 -> 3 -> 4, 2
 *     round 1    0 -> 4 {0}
 *     round 2    4 -> 2 {0}     0 -> 1 {1}
 *     round 3    2 -> 1 {0}     1 -> 3 {1}
 *     round 4    2 -> 3 {0}     3 -> 4 {1}
 *     round 5    3 -> 2 {1}                                                                                 */
#include "../patterns/two_trees.h"

static void
broadcast_two_tree_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct streams streams;
    struct pipeline pipeline = two_trees_plan(&streams, me, root, peal_parameter(me));

    pipeline_broadcast(me, a, n, &pipeline);
}

static void
broadcast_two_tree_cost(struct closed *sum)
{
    two_trees_closed(sum, closed_parameter(sum->situation, two_trees_pieces));
}

const struct peal_algorithm broadcast_two_tree = {
    .collective    = PEAL_BROADCAST,
    .name          = "two-tree",
    .summary       = "pieces go down two binary trees by turns",
    .run.broadcast = broadcast_two_tree_run,
    .parameter     = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = two_trees_pieces},
    .cost          = broadcast_two_tree_cost,
    .texts         = two_tree_texts,
    .closed_on     = "full",
    .optimal       = "β for long vectors; α within 2",
    .source        = "Sanders, Speck, Träff 2009",
};
