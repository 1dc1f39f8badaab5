/* SPDX-License-Identifier: MIT */
/* Reduce, chain:B: cut the vectors into B pieces; the last rank sends its own on, and each rank combines the pieces
 * that it receives with its own.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       P-2 + B
 *   cost         α(P-2+B) + β(n + (P-2)⌈n/B⌉), any P > 1, on all networks; best B about √((P-2)βn/α)
 *   space        n words and a piece at inner nodes, a piece at the root, nothing at the last
 *   keeps rank order from root 0; to another root the chain goes round the end and needs an operator that commutes
 *   derivation   the broadcast of broadcast/chain.c backwards
 *   source       Sanders, Speck, Träff 2009, section 1; Open MPI's chain and pipeline
 *
 *   P = 3, B = 2, root 0
 *     round 1                   2 -> 1 {1}          x₁x₂
 *     round 2    1 -> 0 {1}     2 -> 1 {0}          x₀x₁x₂ of piece 1
 *     round 3    1 -> 0 {0}                         x₀x₁x₂ of piece 0                                       */
#include "../patterns/trees.h"

static void
reduce_chain_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct streams streams;
    struct pipeline pipeline = chain_plan(&streams, me, root, peal_parameter(me));

    pipeline_reduce(me, op, a, n, root, &pipeline);
}

const struct peal_algorithm reduce_chain = {
    .collective              = PEAL_REDUCE,
    .name                    = "chain",
    .summary                 = "pass pieces from rank to rank, each adding its own",
    .run.reduce              = reduce_chain_run,
    .needs.commutative_off_0 = true,
    .parameter               = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = chain_pieces},
    .costs_as                = &broadcast_chain,
    .texts                   = chain_texts,
    .optimal                 = "β for long vectors",
    .differs                 = PEAL_DIFFERS(ROOTS),
    .source                  = "Sanders, Speck, Träff 2009, section 1; Open MPI, chain",
};
