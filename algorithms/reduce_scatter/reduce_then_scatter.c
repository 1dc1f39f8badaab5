/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, reduce-then-scatter: reduce all blocks to rank 0, then scatter them.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all, in rank order
 *   rounds       2⌈log₂P⌉
 *   cost         2α⌈log₂P⌉ + βm(P⌈log₂P⌉ + P - 1), any P
 *   space        as reduce/binomial and scatter/binomial; P blocks at rank 0
 *   keeps rank order, for any associative operator
 *   derivation   the sum of reduce/binomial and scatter/binomial: rank 0 begins the second after it has ended the
 *                first, and no other node can begin earlier
 *   source       Open MPI, nonoverlapping reduce_scatter
 *
 *   P = 3
 *     round 1    1 -> 0 {0 1 2}
 *     round 2    2 -> 0 {0 1 2}
 *     round 3    0 -> 2 {2}
 *     round 4    0 -> 1 {1}                                                                                  */
#include "../patterns/binomial.h"

static void
reduce_scatter_reduce_then_scatter_run(struct peal_node *me, const struct peal_op *op, const void *in,
                                       const struct peal_blocks *blocks, void *out)
{
    size_t n = blocks_all(me, blocks);
    void *sum = (void *)in;                              /* reduce writes the root's alone */

    if (peal_rank(me) == 0) {
        sum = peal_scratch(me, n);
        block_copy(me, sum, in, n);
    }
    reduce_binomial.run.reduce(me, op, sum, n, 0);
    scatter_binomial.run.scatter(me, sum, blocks, 0, out);
}

static void
reduce_scatter_reduce_then_scatter_cost(struct closed *sum)
{
    size_t P = (size_t)sum->situation->nodes;

    if (sum->situation->words > INT64_MAX / P)
        sum->known = false;
    closed_add_phase(sum, &reduce_binomial, sum->situation->words * P, 0);
    closed_add_phase(sum, &scatter_binomial, sum->situation->words, 0);
}

const struct peal_algorithm reduce_scatter_reduce_then_scatter = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "reduce-then-scatter",
    .summary            = "reduce all blocks to rank 0, then scatter them",
    .run.reduce_scatter = reduce_scatter_reduce_then_scatter_run,
    .cost               = reduce_scatter_reduce_then_scatter_cost,
    .posts              = PEAL_POSTS_ONE,
    .texts              = there_and_back_texts,
    .optimal            = "α within 2",
    .source             = "Open MPI, nonoverlapping reduce_scatter",
};
