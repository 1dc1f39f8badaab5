/* SPDX-License-Identifier: MIT */
/* Broadcast, scatter-doubling: scatter the P parts of the vector, then gather them everywhere by recursive doubling.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       2log₂P, P = 2^q
 *   cost         2α log₂P + 2βn(P-1)/P if P divides n, on full networks and hypercubes, any root; on a line from its
 *                end βn(P-1 + (P²-1)/3)/P
 *   space        the parts of a subtree at an inner node of the scatter
 *   derivation   the sum of both phases.  Parts of different lengths, root 0: the root's messages are all parts but its
 *                own, and in the round of mask the parts 0 .. mask-1 are the longest message
 *   source       Barnett, Shuler, van de Geijn et al. 1994; MPICH's scatter_recursive_doubling_allgather
 *
 *   P = 4, root 0 (P must be a power of two)
 *     round 1    0 -> 2 {2 3}
 *     round 2    0 -> 1 {1}          2 -> 3 {3}
 *     round 3    0 <-> 1 {0} {1}     2 <-> 3 {2} {3}
 *     round 4    0 <-> 2 {0 1} {2 3}     1 <-> 3 {0 1} {2 3}                                                */
#include "../binomial.h"
#include "../blocks.h"
#include "../catalog.h"

static void
run(struct peal_node *me, void *a, size_t n, int root)
{
    struct peal_blocks cut = parts(me, n);
    struct peal_piece own = block_of(me, a, &cut, peal_rank(me));

    scatter_binomial.run.scatter(me, a, &cut, root, own.data);
    allgather_recursive_doubling.run.allgather(me, own.data, &cut, a);
}

static bool
cost(const struct peal_situation *situation, struct peal_cost *cost)
{
    struct closed sum = closed_of(situation, POSTS_EXCHANGE);
    bool uneven = situation->words % (size_t)situation->nodes != 0;

    closed_bundles(&sum);
    if (uneven && situation->root != 0)
        return false;                                    /* the places of the longer parts are not derived */
    binomial_closed(&sum, CARRIES_PARTS);
    if (uneven)
        closed_uneven(&sum);
    for (int mask = 1; mask < situation->nodes; mask *= 2)
        closed_add_xor(&sum, mask, (int64_t)peal_block_begin((size_t)closed_words(&sum), situation->nodes, mask));
    return closed_end(&sum, cost);
}

const struct peal_algorithm broadcast_scatter_doubling = {
    .collective         = PEAL_BROADCAST,
    .name               = "scatter-doubling",
    .summary            = "scatter the vector's parts, then gather them by recursive doubling",
    .run.broadcast      = run,
    .needs.power_of_two = true,
    .cost               = cost,
    .closed_form        = "2α log₂P + 2βn(P−1)/P",
    .optimal            = "α, β within 2",
    .source             = "Barnett et al. 1994; MPICH, scatter_recursive_doubling_allgather",
};
