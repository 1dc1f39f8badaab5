/* SPDX-License-Identifier: MIT */
/* Broadcast, binary:B: B pieces of the vector go down a binary tree, each node serves its two children alternately.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       H + 2(B-1), H the rounds in which the last leaf has the first piece: about 2log₂P
 *   cost         α(H-2+2B) + β(2n + (H-2)⌈n/B⌉) on a full network, P > 2
 *   space        none
 *   derivation   children of x are 2x+1 and 2x+2; a(2x+1) = a(x)+1, a(2x+2) = a(x)+2, a(0) = 0, and piece j comes to x
 *                in round a(x) + 2j.  On level l the latest has l and as many more as its place has bits (trees.c)
 *   source       Open MPI's bintree; the times are derived
 *
 *   P = 5, B = 2, root 0
 *     round 1    0 -> 1 {0}
 *     round 2    0 -> 2 {0}     1 -> 3 {0}
 *     round 3    0 -> 1 {1}     1 -> 4 {0}
 *     round 4    0 -> 2 {1}     1 -> 3 {1}
 *     round 5                   1 -> 4 {1}                                                                  */
#include "../patterns/trees.h"

static void
broadcast_binary_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct streams streams;
    struct pipeline pipeline = binary_plan(&streams, me, root, peal_parameter(me));

    pipeline_broadcast(me, a, n, &pipeline);
}

static void
broadcast_binary_cost(struct closed *sum)
{
    binary_closed(sum, closed_parameter(sum->situation, binary_pieces));
}

const struct peal_algorithm broadcast_binary = {
    .collective    = PEAL_BROADCAST,
    .name          = "binary",
    .summary       = "pieces of the vector go down a binary tree",
    .run.broadcast = broadcast_binary_run,
    .parameter     = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = binary_pieces},
    .cost          = broadcast_binary_cost,
    .closed_on     = "full",
    .texts         = binary_texts,
    .optimal       = "β within 2",
    .source        = "Open MPI, bintree",
};
