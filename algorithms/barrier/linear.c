/* SPDX-License-Identifier: MIT */
/* Barrier, linear: every node sends to rank 0, then rank 0 sends to every node.
 *
 *   before       nothing
 *   after        no node returns before every node has called
 *   rounds       2(P-1) with one port
 *   cost         2α(P-1), any P
 *   space        none
 *   derivation   gather/linear, then broadcast/linear, of no words.  The answer's receive is posted with the message to
 *                rank 0: it can only come later, and a node waits once for both
 *   source       Open MPI, basic linear barrier
 *
 *   P = 3
 *     round 1    1 -> 0
 *     round 2    2 -> 0
 *     round 3    0 -> 1
 *     round 4    0 -> 2                                                                                      */
#include "../catalog.h"

static void
barrier_linear_run(struct peal_node *me)
{
    struct peal_blocks none = blocks_equal(0);

    if (peal_rank(me) > 0) {                             /* arrive; wait for 0 */
        peal_sendrecv(me, NULL, 0, 0, NULL, 0, 0);
        return;
    }
    gather_linear.run.gather(me, NULL, &none, 0, NULL);
    broadcast_linear.run.broadcast(me, NULL, 0, 0);
}

static void
barrier_linear_cost(struct closed *sum)
{
    closed_add_phase(sum, &gather_linear, 0, 0);
    closed_add_phase(sum, &broadcast_linear, 0, 0);
}

const struct peal_algorithm barrier_linear = {
    .collective  = PEAL_BARRIER,
    .name        = "linear",
    .summary     = "every node tells rank 0, then rank 0 tells every node",
    .run.barrier = barrier_linear_run,
    .cost        = barrier_linear_cost,
    .posts       = PEAL_POSTS_MANY,
    .texts       = TEXTS(
        {.on = "full", .alpha = "2α(P−1)", .near = true},
        {.on = "line", .alpha = "2α(P−1)", .hop = "t_dP(P−1)"},
        {.on = "ring", .alpha = "2α(P−1)", .hop = "2t_d⌊P²/4⌋"},
        {.on = "mesh", .alpha = "2α(P−1)", .hop = "t_dPΣ(zᵢ−1)"},
        {.on = "torus", .alpha = "2α(P−1)", .hop = "2t_dPΣ⌊zᵢ²/4⌋/zᵢ"},
        {.on = "hypercube", .alpha = "2α(P−1)", .hop = "t_dP log₂P"}),
    .source      = "Open MPI, basic linear barrier",
};
