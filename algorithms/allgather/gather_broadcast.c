/* SPDX-License-Identifier: MIT */
/* All-gather, gather-broadcast: gather everything at rank 0, then broadcast it.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       2⌈log₂P⌉
 *   cost         2α⌈log₂P⌉ + βm(P-1 + P⌈log₂P⌉), any P
 *   space        as gather/binomial
 *   derivation   the sum of gather/binomial and broadcast/binomial: rank 0 begins the second after it has ended the
 *                first, and no other node can begin earlier
 *   source       Georgia Tech CS 6220, all-gather from gather and broadcast
 *
 *   P = 3
 *     round 1    1 -> 0 {1}
 *     round 2    2 -> 0 {2}
 *     round 3    0 -> 2 {0 1 2}
 *     round 4    0 -> 1 {0 1 2}                                                                             */
#include "../patterns/binomial.h"

static void
allgather_gather_broadcast_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    gather_binomial.run.gather(me, in, blocks, 0, out);
    broadcast_binomial.run.broadcast(me, out, blocks_all(me, blocks), 0);
}

static void
allgather_gather_broadcast_cost(struct closed *sum)
{
    if (sum->situation->noncombining && sum->situation->nodes > 1 && sum->situation->words > 0)
        sum->known = false;                               /* the broadcast bundles all blocks: it is refused */
    closed_product(sum, closed_words(sum), sum->situation->nodes);
    closed_add_phase(sum, &gather_binomial, sum->situation->words, 0);
    closed_add_phase(sum, &broadcast_binomial, sum->situation->words * (size_t)sum->situation->nodes, 0);
}

/* In the gather's round of mask h, one message for every 2h nodes, of h blocks; then P-1 messages of P blocks. */
static bool
at_most(const struct peal_situation *situation, struct peal_cost *cost)
{
    int64_t P = situation->nodes, blocks = P * (P - 1);
    struct closed sum = closed_of(situation, PEAL_POSTS_ONE);

    if (situation->noncombining && situation->nodes > 1 && situation->words > 0)
        return false;
    for (int64_t h = 1; h < P; h *= 2)
        blocks += h * ((P - 1 - h) / (2 * h) + 1);
    closed_add_at_most(&sum, 2 * ceiling_log2(situation->nodes), closed_product(&sum, closed_words(&sum), blocks));
    return closed_end(&sum, cost);
}

const struct peal_algorithm allgather_gather_broadcast = {
    .collective    = PEAL_ALLGATHER,
    .name          = "gather-broadcast",
    .summary       = "gather at rank 0, then broadcast",
    .run.allgather = allgather_gather_broadcast_run,
    .cost          = allgather_gather_broadcast_cost,
    .posts         = PEAL_POSTS_ONE,
    .at_most       = at_most,
    .texts         = there_and_back_texts,
    .optimal       = "α within 2",
    .source        = "Georgia Tech CS 6220, all-gather from gather and broadcast",
};
