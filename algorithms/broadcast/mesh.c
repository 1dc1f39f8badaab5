/* SPDX-License-Identifier: MIT */
/* Broadcast, mesh: a binomial tree along the root's row, then one along every column, and so on in all dimensions.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       Σ⌈log₂zᵢ⌉; the extents are the network's, or as square as P allows where it has one dimension
 *   cost         Σ⌈log₂zᵢ⌉(α + βn) on meshes, tori, hypercubes and full networks, any root; on a line or ring a column
 *                step of a grid with rows of z nodes costs α + βnz
 *   space        none
 *   derivation   binomial trees of all columns share no link on a grid, and z of them cross one on a line (spread.c)
 *   source       Grama, Gupta, Karypis, Kumar 2003, section 4.1.2
 *
 *   P = 6 as 2x3, root 0
 *     round 1    0 -> 2
 *     round 2    0 -> 1
 *     round 3    0 -> 3     1 -> 4     2 -> 5                                                               */
#include "../patterns/spread.h"

static void
broadcast_mesh_run(struct peal_node *me, void *a, size_t n, int root)
{
    struct spread spread;

    spread_on_grid(&spread, peal_is_world(me) ? peal_node_network(me) : NULL, peal_size(me), root, peal_rank(me),
                   ROWS_FIRST);
    spread_broadcast(me, a, n, &spread);
}

static void
broadcast_mesh_cost(struct closed *sum)
{
    spread_on_grid_closed(sum, ROWS_FIRST);
}

const struct peal_algorithm broadcast_mesh = {
    .collective    = PEAL_BROADCAST,
    .name          = "mesh",
    .summary       = "binomial trees along the rows, then along the columns",
    .run.broadcast = broadcast_mesh_run,
    .asks_network  = true,
    .cost          = broadcast_mesh_cost,
    .posts         = PEAL_POSTS_ONE,
    .texts         = TEXTS(
        {.rows = grid_texts},
        {.on = "line", .when = "root 0", .alpha = "α(⌈log₂a⌉+⌈log₂b⌉)", .beta = "βn(⌈log₂b⌉+b⌈log₂a⌉)",
         .hop = "t_d(2^⌈log₂b⌉−1+b(2^⌈log₂a⌉−1))", .stored = "βn(2^⌈log₂b⌉−1+b²(2^⌈log₂a⌉−1)−⌊b²/4⌋⌈log₂a⌉)",
         .names = "a = rows, b = columns"},
        {.on = "ring", .when = "root 0", .alpha = "α(⌈log₂a⌉+⌈log₂b⌉)", .beta = "βn(⌈log₂b⌉+b⌈log₂a⌉)",
         .hop = "t_d([a > 1](2^⌈log₂b⌉−1)+[a = 1](b−1)+b(a−1))",
         .stored = "βn([a > 1](2^⌈log₂b⌉−1)+[a = 1](b−1)+b²(a−1)−⌊b²/4⌋⌈log₂a⌉)", .names = "a = rows, b = columns"}),
    .optimal       = "α where Σ⌈log₂zᵢ⌉ = ⌈log₂P⌉",
    .source        = "Grama et al. 2003, section 4.1.2",
};
