/* SPDX-License-Identifier: MIT */
/* Barrier, tree: gather no words up a binomial tree to rank 0, then broadcast none.
 *
 *   before       nothing
 *   after        no node returns before every node has called
 *   rounds       2⌈log₂P⌉
 *   cost         2α⌈log₂P⌉, any P
 *   space        nothing
 *   derivation   gather/binomial, then broadcast/binomial: rank 0 has heard of all, then all hear of it.  2(P-1) messages
 *                against the P⌈log₂P⌉ of dissemination
 *   source       Open MPI, barrier by a tree
 *
 *   P = 5
 *     round 0    1 -> 0    3 -> 2
 *     round 1    2 -> 0
 *     round 2    4 -> 0
 *     round 3    0 -> 4
 *     round 4    0 -> 2
 *     round 5    0 -> 1    2 -> 3                                                                            */
#include "../blocks.h"
#include "../catalog.h"
#include "../closed.h"

static void
run(struct peal_node *me)
{
    struct peal_blocks none = blocks_equal(0);

    gather_binomial.run.gather(me, NULL, &none, 0, NULL);
    broadcast_binomial.run.broadcast(me, NULL, 0, 0);
}

static bool
cost(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum;

    closed_begin(&sum, situation, POSTS_ONE);
    closed_add_phase(&sum, &gather_binomial, 0, 0);
    closed_add_phase(&sum, &broadcast_binomial, 0, 0);
    return closed_end(&sum, cost);
}

const struct peal_algorithm barrier_tree = {
    .collective  = PEAL_BARRIER,
    .name        = "tree",
    .summary     = "gather nothing at rank 0 along a binomial tree, and broadcast it",
    .run.barrier = run,
    .cost        = cost,
    .closed_form = "2α⌈log₂P⌉",
    .optimal     = "α within 2",
    .source      = "Open MPI, barrier by a tree",
};
