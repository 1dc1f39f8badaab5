/* SPDX-License-Identifier: MIT */
/* Barrier, k-dissemination: each node sends to the nodes d, 2d, .., kd ranks on, k the ports, for d = 1, k+1, (k+1)²,
 * .., and receives from those as far back.
 *
 *   before       nothing
 *   after        no node returns before every node has called
 *   rounds       ⌈log_{k+1}P⌉; with one port ⌈log₂P⌉
 *   cost         α⌈log_{k+1}P⌉, any P; the hops of a round are the most of a cyclic shift by its distances
 *   space        none
 *   derivation   after the rounds up to d a node knows, through others, that the (k+1)d nodes up to itself have called.
 *                Messages have no words, so a shared link costs nothing
 *   source       Hensgen, Finkel, Manber 1988, with k messages a round; MPICH, k-dissemination
 *
 *   P = 5, one port
 *     round 1    0 -> 1     1 -> 2     2 -> 3     3 -> 4     4 -> 0
 *     round 2    0 -> 2     1 -> 3     2 -> 4     3 -> 0     4 -> 1
 *     round 3    0 -> 4     1 -> 0     2 -> 1     3 -> 2     4 -> 3                                          */
#include "../catalog.h"
#include <string.h>

/* The next distance, (k+1)d, P or more after the last. */
static int
after(int d, int k, int P)
{
    int64_t next = ((int64_t)k + 1) * d;

    return next < P ? (int)next : P;
}

static void
barrier_k_dissemination_run(struct peal_node *me)
{
    int P = peal_size(me), r = peal_rank(me), k = ports_each_way(me);

    if (k == PEAL_PORTS_ALL)                             /* messages that go straight to their nodes */
        k = peal_is_world(me) && strcmp(peal_network_kind(peal_node_network(me)), "full") == 0 ? P - 1 : 1;

    for (int d = 1; d < P; d = after(d, k, P)) {
        for (int j = 1, by = d; j <= k && by < P; j++, by += d) {
            peal_send_async(me, NULL, 0, (r + by) % P);
            peal_recv_async(me, NULL, 0, (r - by + P) % P);
        }
        peal_wait_all(me);
    }
}

static void
barrier_k_dissemination_cost(struct closed *sum)
{
    int P = sum->situation->nodes;
    int k = ports_of_each_way(sum->situation->ports, sum->situation->half_duplex);

    if (k == PEAL_PORTS_ALL)
        k = sum->situation->network != NULL && sum->shape.kind == SHAPE_FULL ? P - 1 : 1;
    for (int d = 1; d < P; d = after(d, k, P)) {
        int hops = 1;

        for (int j = 1, by = d; j <= k && by < P && sum->shape.kind != SHAPE_FULL; j++, by += d) {
            int far = shape_shift_hops(&sum->shape, by);
            hops = far > hops ? far : hops;
        }
        closed_add_same(sum, 1, 0, hops);
    }
}

const struct peal_algorithm barrier_k_dissemination = {
    .collective  = PEAL_BARRIER,
    .name        = "k-dissemination",
    .summary     = "tell the nodes d, 2d, .., kd further on, d = 1, k+1, .., with k ports",
    .run.barrier = barrier_k_dissemination_run,
    .asks_ports  = true,
    .cost        = barrier_k_dissemination_cost,
    .texts       = TEXTS(
        {.on = "full", .when = "full duplex", .alpha = "α⌈log_{k+1}P⌉", .near = true},
        {.on = "line", .when = "k = 1, full duplex", .alpha = "αq", .hop = "t_d(P(q−1)+1)", .names = "q = ⌈log₂P⌉"},
        {.on = "ring", .when = "k = 1, full duplex", .alpha = "α⌈log₂P⌉", .hop = "t_d(P−1)"},
        {.on = "hypercube", .when = "k = 1, full duplex", .alpha = "αq", .hop = "t_dq(q+1)/2", .names = "q = log₂P"},
        {.on = "mesh", .when = "k = 1, full duplex, zᵢ = 2^qᵢ", .alpha = "α log₂P",
         .hop = "t_dΣ(zᵢlog₂zᵢ+(zᵢ−1)(log₂sᵢ−1))"},
        {.on = "torus", .when = "k = 1, full duplex, zᵢ = 2^qᵢ", .alpha = "α log₂P", .hop = "t_dΣ(zᵢ−1+log₂sᵢ)"}),
    .optimal     = "α",
    .source      = "Hensgen, Finkel, Manber 1988; MPICH, k-dissemination",
};
