/* SPDX-License-Identifier: MIT */
/* Broadcast, circulant:B: B pieces go round a circulant graph, in which each node receives a piece in every round.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       q-1 + B, q = ⌈log₂P⌉: no broadcast of B pieces, one per round, can take fewer
 *   cost         α(q-1+B) + βn(q-1+B)/B if B divides n, any P > 1, on full networks and hypercubes; best B about
 *                √((q-1)βn/α)
 *   space        4q(q+1) bytes a node while it finds its schedule, which takes O(q³) steps for the node and each of q
 *                it sends to
 *   derivation   circulant.c: in round t + 1 with k = (t - (B-1)) mod q, node x gets piece t - k + R_x[k] from x - s_k,
 *                where R_x is the receive schedule, s_q = P and s_k = ⌈s_{k+1}/2⌉; in any q rounds a node receives q
 *                different pieces
 *   source       J. L. Träff, arXiv 2312.11236 and 2407.18004
 *
 *   P = 5 (skips 1 2 3), B = 2, root 0
 *     round 1    0 -> 3 {0}
 *     round 2    0 -> 1 {1}     3 -> 4 {0}
 *     round 3    0 -> 2 {1}     4 -> 1 {0}
 *     round 4    0 -> 3 {1}     1 -> 4 {1}     4 -> 2 {0}                                                   */
#include "../patterns/circulant.h"

static void
broadcast_circulant_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct circulant_plan plan;
    struct pipeline pipeline = circulant_pipeline(&plan, me, root, peal_parameter(me));

    pipeline_broadcast(me, a, n, &pipeline);
}

static void
broadcast_circulant_cost(struct closed *sum)
{
    circulant_closed(sum, closed_parameter(sum->situation, circulant_pieces));
}

static bool
at_most(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum = closed_of(situation, PEAL_POSTS_EXCHANGE);

    circulant_at_most(&sum, closed_parameter(situation, circulant_pieces));
    return closed_end(&sum, cost);
}

const struct peal_algorithm broadcast_circulant = {
    .collective    = PEAL_BROADCAST,
    .name          = "circulant",
    .summary       = "a piece for every node in every round, along a circulant graph",
    .run.broadcast = broadcast_circulant_run,
    .parameter     = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = circulant_pieces},
    .cost          = broadcast_circulant_cost,
    .at_most       = at_most,
    .closed_on     = "full hypercube",
    .texts         = circulant_texts,
    .optimal       = "α and β together, for B pieces",
    .source        = "J. L. Träff, arXiv 2312.11236, 2407.18004",
};
