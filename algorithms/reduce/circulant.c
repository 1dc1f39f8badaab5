/* SPDX-License-Identifier: MIT */
/* Reduce, circulant:B: the pipelined broadcast along a circulant graph, backwards.
 *
 *   before       node i has n words xᵢ
 *   after        the root has the combination of all; the vectors of the others are unchanged
 *   rounds       q-1 + B, q = ⌈log₂P⌉
 *   cost         α(q-1+B) + βn(q-1+B)/B if B divides n, any P > 1, on full networks and hypercubes; best B about
 *                √((q-1)βn/α)
 *   space        n words and a piece, and 4q(q+1) bytes while a node finds its schedule
 *   needs an operator that commutes
 *   derivation   broadcast/circulant.c with time and messages reversed.  Of all that a node receives there, the first
 *                receipt of each piece counts: these make a tree for every piece, and in reverse each contribution
 *                arrives once.  Later receipts, of the last piece only, are left out; no round is empty, for then
 *                q-2+B would do
 *   source       J. L. Träff, arXiv 2407.18004
 *
 *   P = 3 (skips 1 2), B = 2, root 0
 *     round 1    1 -> 2 {0}     2 -> 0 {1}
 *     round 2    1 -> 0 {1}
 *     round 3    2 -> 0 {0}                                                                                 */
#include "../patterns/circulant.h"

static void
reduce_circulant_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct circulant_plan plan;
    struct pipeline pipeline = circulant_pipeline(&plan, me, root, peal_parameter(me));

    pipeline_reduce(me, op, a, n, root, &pipeline);
}

static bool
at_most(const struct peal_situation *situation, struct peal_cost *cost)
{
    return broadcast_circulant.at_most(situation, cost);
}

const struct peal_algorithm reduce_circulant = {
    .collective        = PEAL_REDUCE,
    .name              = "circulant",
    .summary           = "a piece from every node in every round, along a circulant graph",
    .run.reduce        = reduce_circulant_run,
    .needs.commutative = true,
    .parameter         = {.name = "pieces", .least = 1, .most = PIECES_MAX, .choose = circulant_pieces},
    .costs_as          = &broadcast_circulant,
    .at_most           = at_most,
    .closed_on         = "full hypercube",
    .texts             = circulant_texts,
    .optimal           = "α and β together, for B pieces",
    .differs           = PEAL_DIFFERS(ROOTS) | PEAL_DIFFERS(SIZES),
    .lists             = 1,
    .source            = "J. L. Träff, arXiv 2407.18004",
};
