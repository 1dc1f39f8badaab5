/* SPDX-License-Identifier: MIT */
/* All-reduce, allgather-reduce: every node gathers all vectors and combines them itself.
 *
 *   before       node i has n words xᵢ
 *   after        every node has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}
 *   rounds       ⌈log₂P⌉, for any P
 *   cost         α⌈log₂P⌉ + βn(P-1), any P
 *   space        nP words
 *   keeps rank order, for any associative operator
 *   derivation   all-gather/circulant with blocks of n words; combining sends no message.  It never folds: no algorithm
 *                takes fewer rounds, and for short vectors words do not matter
 *   source       SimGrid, allreduce by all-gather; as a lesson, the cost of sending instead of combining
 *
 *   P = 5
 *     round 1    r -> r-1 {r}
 *     round 2    r -> r-2 {r}
 *     round 3    r -> r-3 {r r+1}                                                                            */
#include "../patterns/circulant.h"

static void
allreduce_allgather_reduce_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me);
    struct peal_blocks vectors = blocks_equal(n);
    void *all = peal_scratch(me, blocks_all(me, &vectors));

    allgather_circulant.run.allgather(me, a, &vectors, all);
    block_copy(me, a, block_of(me, all, &vectors, 0).data, n);
    for (int i = 1; i < P; i++)
        peal_combine(op, a, block_of(me, all, &vectors, i).data, a, n);
}

const struct peal_algorithm allreduce_allgather_reduce = {
    .collective    = PEAL_ALLREDUCE,
    .name          = "allgather-reduce",
    .summary       = "gather all vectors everywhere, and combine them there",
    .run.allreduce = allreduce_allgather_reduce_run,
    .costs_as      = &allgather_circulant,
    .texts         = circulant_vector_texts,
    .optimal       = "α, for any P",
    .holds         = PEAL_HOLDS_ALL,
    .source        = "SimGrid, allreduce by all-gather",
};
