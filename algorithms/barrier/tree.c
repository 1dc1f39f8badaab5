/* SPDX-License-Identifier: MIT */
/* Barrier, tree: gather no words up a binomial tree to rank 0, then broadcast none.
 *
 *   before       nothing
 *   after        no node returns before every node has called
 *   rounds       2⌈log₂P⌉
 *   cost         2α⌈log₂P⌉, any P
 *   space        none
 *   derivation   gather/binomial, then broadcast/binomial: rank 0 learns that all have called, then all learn it.
 *                2(P-1) messages against the P⌈log₂P⌉ of dissemination.  The answer's receive is posted with the
 *                message up: it can only come later, and a node waits once for both
 *   source       Open MPI, barrier by a tree
 *
 *   P = 5
 *     round 1    1 -> 0    3 -> 2
 *     round 2    2 -> 0
 *     round 3    4 -> 0
 *     round 4    0 -> 4
 *     round 5    0 -> 2
 *     round 6    0 -> 1    2 -> 3                                                                            */
#include "../catalog.h"

static void
barrier_tree_run(struct peal_node *me)
{
    int P = peal_size(me), r = peal_rank(me), mask = 1;

    for (; mask < P && (r & mask) == 0; mask <<= 1)      /* wait for all below me */
        if ((r | mask) < P)
            peal_recv(me, NULL, 0, r | mask);
    if (r > 0)                                           /* report; wait for all */
        peal_sendrecv(me, NULL, 0, r ^ mask, NULL, 0, r ^ mask);
    for (mask >>= 1; mask >= 1; mask >>= 1) {            /* release them */
        if ((r | mask) < P)
            peal_send(me, NULL, 0, r | mask);
        else
            peal_next_round(me);
    }
}

static void
barrier_tree_cost(struct closed *sum)
{
    closed_add_phase(sum, &gather_binomial, 0, 0);
    closed_add_phase(sum, &broadcast_binomial, 0, 0);
}

const struct peal_algorithm barrier_tree = {
    .collective  = PEAL_BARRIER,
    .name        = "tree",
    .summary     = "gather nothing at rank 0 along a binomial tree, and broadcast it",
    .run.barrier = barrier_tree_run,
    .cost        = barrier_tree_cost,
    .posts       = PEAL_POSTS_ONE,
    .texts       = TEXTS(
        {.on = "full hypercube", .alpha = "2α⌈log₂P⌉", .near = true},
        {.on = "line", .alpha = "2α⌈log₂P⌉", .hop = "2t_d(2^⌈log₂P⌉−1)"},
        {.on = "ring", .alpha = "2α⌈log₂P⌉", .hop = "2t_d(P−1)"},
        {.on = "mesh torus", .alpha = "2α⌈log₂P⌉", .hop = "2t_dΣ(2^⌈log₂zᵢ⌉−1)"}),
    .optimal     = "α within 2",
    .source      = "Open MPI, barrier by a tree",
};
