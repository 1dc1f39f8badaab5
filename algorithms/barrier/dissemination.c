/* SPDX-License-Identifier: MIT */
/* Barrier, dissemination: each node sends to the node 1, 2, 4, .. ranks on, and receives from the one as far back.
 *
 *   before       nothing
 *   after        no node returns before every node has called
 *   rounds       ⌈log₂P⌉
 *   cost         α⌈log₂P⌉, any P; the hops of a round are the most of a cyclic shift by its distance
 *   space        none
 *   derivation   after the rounds of 1, 2, .., d a node knows, through others, that the 2d nodes up to itself have
 *                called. Messages have no words, so a shared link costs nothing
 *   source       Hensgen, Finkel, Manber 1988; in MPI libraries "dissemination" or "Bruck"
 *
 *   P = 5
 *     round 1    0 -> 1     1 -> 2     2 -> 3     3 -> 4     4 -> 0
 *     round 2    0 -> 2     1 -> 3     2 -> 4     3 -> 0     4 -> 1
 *     round 3    0 -> 4     1 -> 0     2 -> 1     3 -> 2     4 -> 3                                          */
#include "../catalog.h"

static void
barrier_dissemination_run(struct peal_node *me)
{
    int P = peal_size(me), r = peal_rank(me);

    for (int d = 1; d < P; d <<= 1)
        peal_sendrecv(me, NULL, 0, (r + d) % P, NULL, 0, (r - d + P) % P);
}

static void
barrier_dissemination_cost(struct closed *sum)
{
    for (int d = 1; d < sum->situation->nodes; d <<= 1)
        closed_add_shift(sum, d, 0);
}

const struct peal_algorithm barrier_dissemination = {
    .collective  = PEAL_BARRIER,
    .name        = "dissemination",
    .summary     = "tell the node 1, 2, 4, .. further on",
    .run.barrier = barrier_dissemination_run,
    .cost        = barrier_dissemination_cost,
    .texts       = TEXTS(
        {.on = "full", .alpha = "α⌈log₂P⌉", .near = true, .cited = ""},
        {.on = "line", .alpha = "αq", .hop = "t_d(P(q−1)+1)", .names = "q = ⌈log₂P⌉"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .hop = "t_d(P−1)"},
        {.on = "hypercube", .alpha = "αq", .hop = "t_dq(q+1)/2", .names = "q = log₂P"},
        {.on = "mesh", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .hop = "t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)(log₂sᵢ−1))"},
        {.on = "torus", .when = "zᵢ = 2^qᵢ", .alpha = "α log₂P", .hop = "t_dΣ(zᵢ−1+log₂sᵢ)"},
        {.on = "mesh torus", .alpha = "α⌈log₂P⌉"}),
    .optimal     = "α",
    .source      = "Hensgen, Finkel, Manber 1988",
};
