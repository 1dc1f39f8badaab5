/* SPDX-License-Identifier: MIT */
/* Reduce, mesh: all rows combine by binomial trees, then the root's column does, and so on in all dimensions.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       Σ⌈log₂zᵢ⌉; the extents are the network's, or as square as P allows where it has one dimension
 *   cost         Σ⌈log₂zᵢ⌉(α + βn) on meshes, tori, hypercubes and full networks, any root; on a line or ring from root
 *                0
 *   space        2n words at an inner node, n at the root, none at a leaf
 *   keeps rank order from root 0, a row being a range of ranks; another root needs an operator that commutes
 *   derivation   broadcast/mesh.c backwards, but with the columns first there, so that the rows combine first here
 *   source       Grama, Gupta, Karypis, Kumar 2003, section 4.1.2
 *
 *   P = 6 as 2x3, root 0
 *     round 1    1 -> 0     4 -> 3
 *     round 2    2 -> 0     5 -> 3
 *     round 3    3 -> 0                                                                                     */
#include "../patterns/spread.h"

static void
reduce_mesh_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    struct spread spread;

    spread_on_grid(&spread, peal_is_world(me) ? peal_node_network(me) : NULL, peal_size(me), root, peal_rank(me),
                   COLUMNS_FIRST);
    spread_reduce(me, op, a, n, root, &spread);
}

static void
reduce_mesh_cost(struct closed *sum)
{
    spread_on_grid_closed(sum, COLUMNS_FIRST);
}

const struct peal_algorithm reduce_mesh = {
    .collective              = PEAL_REDUCE,
    .name                    = "mesh",
    .summary                 = "combine by binomial trees in the rows, then in the root's column",
    .run.reduce              = reduce_mesh_run,
    .asks_network            = true,
    .needs.commutative_off_0 = true,
    .cost                    = reduce_mesh_cost,
    .posts                   = PEAL_POSTS_ONE,
    .texts                   = TEXTS(
        {.rows = grid_texts},
        {.on = "line", .alpha = "α(⌈log₂a⌉+⌈log₂b⌉)", .beta = "βn(⌈log₂a⌉+⌈log₂b⌉)",
         .hop = "t_d(2^⌈log₂b⌉−1+b(2^⌈log₂a⌉−1))", .stored = "βn(2^⌈log₂b⌉−1+b(2^⌈log₂a⌉−1))",
         .names = "a = rows, b = columns"},
        {.on = "ring", .alpha = "α(⌈log₂a⌉+⌈log₂b⌉)", .beta = "βn(⌈log₂a⌉+⌈log₂b⌉)",
         .hop = "t_d([a > 1](2^⌈log₂b⌉−1)+[a = 1](b−1)+b(a−1))",
         .stored = "βn([a > 1](2^⌈log₂b⌉−1)+[a = 1](b−1)+b(a−1))", .names = "a = rows, b = columns"}),
    .optimal                 = "α where Σ⌈log₂zᵢ⌉ = ⌈log₂P⌉",
    .differs                 = PEAL_DIFFERS(ROOTS),
    .source                  = "Grama et al. 2003, section 4.1.2",
};
