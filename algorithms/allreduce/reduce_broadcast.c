/* SPDX-License-Identifier: MIT */
/* All-reduce, reduce-broadcast: reduce to rank 0, then broadcast.
 *
 *   before       node i has n words xᵢ
 *   after        every node has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}
 *   rounds       2⌈log₂P⌉
 *   cost         2⌈log₂P⌉(α + βn), any P
 *   space        as reduce/binomial
 *   keeps rank order, for any associative operator
 *   derivation   the sum of reduce/binomial and broadcast/binomial: rank 0 begins the second after it has ended the
 *                first, and no other node can begin earlier.  So a node that has a sum of its own to send posts the
 *                total's receive with it
 *   source       Georgia Tech CS 6220, all-reduce from reduce and broadcast
 *
 *   P = 3
 *     round 1    1 -> 0
 *     round 2    2 -> 0
 *     round 3    0 -> 2
 *     round 4    0 -> 1                                                                                     */
#include "../catalog.h"

static void
allreduce_reduce_broadcast_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me), mask = 1;
    void *sum = a, *mine = NULL, *x = NULL;

    for (; mask < P && (r & mask) == 0; mask <<= 1) {    /* sum up what is above me */
        if ((r | mask) >= P)
            continue;
        if (mine == NULL) {
            mine = r == 0 ? a : peal_scratch(me, n);
            x = peal_scratch(me, n);
        }
        peal_recv(me, x, n, r | mask);
        peal_combine(op, sum, x, mine, n);
        sum = mine;
    }
    if (sum != a) {                                      /* the total can only come later */
        peal_sendrecv(me, sum, n, r ^ mask, a, n, r ^ mask);
    } else if (r > 0) {
        peal_send(me, a, n, r ^ mask);
        peal_recv(me, a, n, r ^ mask);
    }
    for (mask >>= 1; mask >= 1; mask >>= 1) {            /* and send it to them */
        if ((r | mask) < P)
            peal_send(me, a, n, r | mask);
        else
            peal_next_round(me);
    }
}

static void
allreduce_reduce_broadcast_cost(struct closed *sum)
{
    closed_add_phase(sum, &reduce_binomial, sum->situation->words, 0);
    closed_add_phase(sum, &broadcast_binomial, sum->situation->words, 0);
}

/* 2(P-1) messages of n words in all. */
static bool
at_most(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum = closed_of(situation, PEAL_POSTS_ONE);

    closed_add_at_most(&sum, 2 * ceiling_log2(situation->nodes),
                       closed_product(&sum, closed_words(&sum), 2 * ((int64_t)situation->nodes - 1)));
    return closed_end(&sum, cost);
}

const struct peal_algorithm allreduce_reduce_broadcast = {
    .collective    = PEAL_ALLREDUCE,
    .name          = "reduce-broadcast",
    .summary       = "reduce to rank 0, then broadcast",
    .run.allreduce = allreduce_reduce_broadcast_run,
    .cost          = allreduce_reduce_broadcast_cost,
    .posts         = PEAL_POSTS_ONE,
    .at_most       = at_most,
    .texts         = TEXTS(
        {.on = "full hypercube", .alpha = "2α⌈log₂P⌉", .beta = "2βn⌈log₂P⌉", .near = true},
        {.on = "line", .alpha = "2α⌈log₂P⌉", .beta = "2βn⌈log₂P⌉", .hop = "2t_d(2^⌈log₂P⌉−1)",
         .stored = "2βn(2^⌈log₂P⌉−1)"},
        {.on = "ring", .alpha = "2α⌈log₂P⌉", .beta = "2βn⌈log₂P⌉", .hop = "2t_d(P−1)", .stored = "2βn(P−1)"},
        {.on = "mesh torus", .alpha = "2α⌈log₂P⌉", .beta = "2βn⌈log₂P⌉", .hop = "2t_dΣ(2^⌈log₂zᵢ⌉−1)",
         .stored = "2βnΣ(2^⌈log₂zᵢ⌉−1)"}),
    .optimal       = "α within 2",
    .source        = "Georgia Tech CS 6220, all-reduce from reduce and broadcast",
};
