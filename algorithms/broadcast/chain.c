/* SPDX-License-Identifier: MIT */
/* Broadcast, chain:B: cut the vector into B pieces and pass them from rank to rank, one after the other.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       P-2 + B
 *   cost         α(P-2+B) + β(n + (P-2)⌈n/B⌉), any P > 1, on all networks; best B about √((P-2)βn/α)
 *   space        none
 *   derivation   piece j leaves the r-th node from the root in round r + j + 1; the longer pieces are under way until
 *                the last of them is through.  No link is shared: the edges are those of a ring of ranks
 *   source       Sanders, Speck, Träff 2009, section 1, the linear pipeline; Open MPI's chain and pipeline
 *
 *   P = 3, B = 3, root 0
 *     round 1    0 -> 1 {0}
 *     round 2    0 -> 1 {1}     1 -> 2 {0}
 *     round 3    0 -> 1 {2}     1 -> 2 {1}
 *     round 4                   1 -> 2 {2}                                                                  */
#include "../patterns/trees.h"

static void
broadcast_chain_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct streams streams;
    struct pipeline pipeline = chain_plan(&streams, me, root, peal_parameter(me));

    pipeline_broadcast(me, a, n, &pipeline);
}

static void
broadcast_chain_cost(struct closed *sum)
{
    chain_closed(sum, closed_parameter(sum->situation, chain_pieces));
}

const struct peal_algorithm broadcast_chain = {
    .collective    = PEAL_BROADCAST,
    .name          = "chain",
    .summary       = "pass pieces of the vector from rank to rank",
    .run.broadcast = broadcast_chain_run,
    .parameter     = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = chain_pieces},
    .cost          = broadcast_chain_cost,
    .texts         = chain_texts,
    .optimal       = "β for long vectors",
    .source        = "Sanders, Speck, Träff 2009, section 1; Open MPI, chain",
};
