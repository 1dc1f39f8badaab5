/* SPDX-License-Identifier: MIT */
/* Barrier, double-ring: a token goes from rank 0 to rank P-1, and round the ring once more.
 *
 *   before       nothing
 *   after        no node returns before every node has called
 *   rounds       2(P-1)
 *   cost         2α(P-1), any P, each message between neighbours
 *   space        none
 *   derivation   a node passes the token on when it has called: when it reaches rank P-1 all have.  It then comes by 0,
 *                1, .., P-2 in turn.  Hops: in the dimension of stride s the token changes its coordinate P/s - 1 times
 *                on its way through all ranks, of which it goes back to 0 P/(s·extent) - 1 times
 *   source       Open MPI, double ring barrier (which ends at rank 0 again)
 *
 *   P = 3
 *     round 1    0 -> 1
 *     round 2    1 -> 2         all have called
 *     round 3    2 -> 0
 *     round 4    0 -> 1                                                                                      */
#include "../catalog.h"

static void
barrier_double_ring_run(struct peal_node *me)
{
    int P = peal_size(me), r = peal_rank(me), left = (r - 1 + P) % P, right = (r + 1) % P;

    if (P == 1)
        return;
    if (r > 0)
        peal_recv(me, NULL, 0, left);
    if (r == P - 1) {
        peal_send(me, NULL, 0, right);                   /* and begins the second lap */
        return;
    }
    peal_sendrecv(me, NULL, 0, right, NULL, 0, left);    /* it comes once more */
    if (r < P - 2)
        peal_send(me, NULL, 0, right);
}

/* The hops from rank 0 through all ranks to P-1, and those from P-1 to 0. */
static void
lap(const struct shape *shape, int64_t *through, int64_t *back)
{
    *through = shape->nodes - 1;
    *back = 1;
    if (shape->kind == SHAPE_FULL)
        return;
    *through = *back = 0;
    for (int d = 0; d < shape->dimensions; d++) {
        int64_t changes = shape->nodes / shape->stride[d] - 1,
                round = shape->nodes / shape->stride[d] / shape->extent[d] - 1;
        int hops = shape_hops(shape, d, shape->extent[d] - 1, 0);

        *through += changes - round + round * hops;
        *back += hops;
    }
}

static void
barrier_double_ring_cost(struct closed *sum)
{
    int64_t through, back;

    if (sum->situation->nodes > 1) {
        lap(&sum->shape, &through, &back);
        closed_add_same(sum, 1, 0, through + back + through - 1); /* the second lap ends before P-2 -> P-1, one hop */
        closed_add_same(sum, 2 * sum->situation->nodes - 3, 0, 0);
    }
}

const struct peal_algorithm barrier_double_ring = {
    .collective  = PEAL_BARRIER,
    .name        = "double-ring",
    .summary     = "a token goes round the ring, and once more",
    .run.barrier = barrier_double_ring_run,
    .cost        = barrier_double_ring_cost,
    .posts       = PEAL_POSTS_ONE,
    .texts       = TEXTS(
        {.on = "full ring", .alpha = "2α(P−1)", .near = true},
        {.on = "line", .alpha = "2α(P−1)", .hop = "t_d(3P−4)"},
        {.on = "hypercube", .alpha = "2α(P−1)", .hop = "t_d(4P−5−log₂P)"},
        {.on = "torus", .alpha = "2α(P−1)", .hop = "t_d(Σ(2P/sᵢ−1)−1)"},
        {.on = "mesh", .alpha = "2α(P−1)", .hop = "t_d(Σ(2(P/sᵢ−1+(P/(sᵢzᵢ)−1)(zᵢ−2))+zᵢ−1)−1)"}),
    .source      = "Open MPI, double ring barrier",
};
