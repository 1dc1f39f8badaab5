/* SPDX-License-Identifier: MIT */
/* Broadcast, binomial-near: the binomial tree with the nearest nodes first: 0 sends to 1, both send to the next two,
 * and so on.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       ⌈log₂P⌉
 *   cost         ⌈log₂P⌉(α + βn), any P, on full networks and hypercubes; on a line from its end βn(P-1) for P = 2^q,
 *                and 2βn(√P-1) on a square mesh
 *   space        none
 *   derivation   nodes 0 .. h-1 send to h .. 2h-1: on a line h messages cross the link before h, where far-first shares
 *                none (binomial.c)
 *   source       the textbook's recursive doubling, in the order that a line punishes: Grama et al. 2003, section 4.1
 *
 *   P = 6, root 0
 *     round 1    0 -> 1
 *     round 2    0 -> 2     1 -> 3
 *     round 3    0 -> 4     1 -> 5                                                                          */
#include "../patterns/binomial.h"

static void
broadcast_binomial_near_run(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P; /* ranks as seen from the root */

    for (int mask = 1; mask < P; mask <<= 1) {
        if (r < mask && r < P - mask)                    /* I have the words */
            peal_send(me, a, n, (r + mask + root) % P);
        else if (r >= mask && r < 2 * mask)              /* my turn to get them */
            peal_recv(me, a, n, (r - mask + root) % P);
    }
}

static void
broadcast_binomial_near_cost(struct closed *sum)
{
    binomial_near_closed(sum, CARRIES_VECTOR);
}

const struct peal_algorithm broadcast_binomial_near = {
    .collective    = PEAL_BROADCAST,
    .name          = "binomial-near",
    .summary       = "the binomial tree with the nearest nodes first",
    .run.broadcast = broadcast_binomial_near_run,
    .cost          = broadcast_binomial_near_cost,
    .posts         = PEAL_POSTS_ONE,
    .texts         = TEXTS(
        {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .near = true, .cited = "P = 2^q"},
        {.on = "hypercube", .when = "root 0", .alpha = "α log₂P", .beta = "βn log₂P", .near = true, .cited = ""},
        {.on = "hypercube", .alpha = "α log₂P", .beta = "βn log₂P", .cited = ""},
        {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .hop = "t_d(2^⌈log₂P⌉−1)"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .hop = "t_d(P−1)"},
        {.on = "mesh torus", .alpha = "α⌈log₂P⌉", .beta = "βnΣ(zᵢ−1)", .hop = "t_dΣ(2^⌈log₂zᵢ⌉−1)"},
        {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .stored = "βn(⌊h²/4⌋+h(P−h)−⌊(P−h)²/4⌋)",
         .names = "h = 2^(⌈log₂P⌉−1)"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn(P−1)", .stored = "βn(⌊h²/4⌋+(P−h)²−⌊(P−h)²/4⌋)",
         .names = "h = 2^(⌈log₂P⌉−1)"},
        {.on = "mesh torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βnΣ(zᵢ−1)", .stored = "βnΣzᵢ²/4"},
        {.on = "mesh", .alpha = "α⌈log₂P⌉", .beta = "βnΣ(zᵢ−1)", .stored = "βnΣ(⌊hᵢ²/4⌋+hᵢ(zᵢ−hᵢ)−⌊(zᵢ−hᵢ)²/4⌋)",
         .names = "hᵢ = 2^(⌈log₂zᵢ⌉−1)"}),
    .optimal       = "α",
    .source        = "Grama et al. 2003, section 4.1",
};
