/* SPDX-License-Identifier: MIT */
/* All-reduce, circulant: reduce-scatter and all-gather on the circulant graph.
 *
 *   before       node i has n words xᵢ, cut into P parts
 *   after        every node has the combination of all
 *   rounds       2⌈log₂P⌉, for any P
 *   cost         2α⌈log₂P⌉ + 2βn(P-1)/P if P divides n, any P
 *   space        2n words
 *   rank order   is not kept; needs a commutative operator
 *   derivation   reduce-scatter/circulant, then all-gather/circulant: every node is busy in every round.  Of c parts in
 *                a row min(c, n mod P) are longer at the most
 *   source       Träff, arXiv 2410.14234
 *
 *   P = 5: skips 1 2 3 5
 *     round 1    r -> r+3  the parts of r+3 r+4
 *     round 2    r -> r+2  the part of r+2
 *     round 3    r -> r+1  the part of r+1
 *     round 4    r -> r-1  the part of r
 *     round 5    r -> r-2  the part of r
 *     round 6    r -> r-3  the parts of r r+1                                                                */
#include "../blocks.h"
#include "../catalog.h"
#include "../circulant.h"
#include "../closed.h"

static void
run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    struct peal_blocks cut = parts(me, n);
    void *own = block_of(me, a, &cut, peal_rank(me)).data;

    reduce_scatter_circulant.run.reduce_scatter(me, op, a, &cut, own);
    allgather_circulant.run.allgather(me, own, &cut, a);
}

static bool
cost(const struct peal_situation *situation, struct peal_cost *cost)
{
    int P = situation->nodes, skips[CIRCULANT_SKIPS], q = circulant_skips(P, skips);
    struct closed sum = closed_of(situation, POSTS_EXCHANGE);
    int64_t longer;

    closed_bundles(&sum);
    longer = closed_words(&sum) % P;
    if (longer > 0)
        closed_uneven(&sum);
    for (int k = 0; k < q && sum.known; k++) {
        int64_t count = skips[k + 1] - skips[k],
                words = closed_words(&sum) / P * count + (longer < count ? longer : count);

        closed_add_shift(&sum, skips[k], words);
        closed_add_shift(&sum, P - skips[k], words);
    }
    return closed_end(&sum, cost);
}

const struct peal_algorithm allreduce_circulant = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "circulant",
    .summary           = "reduce-scatter and all-gather in ⌈log₂P⌉ rounds each, for any P",
    .run.allreduce     = run,
    .needs.commutative = true,
    .cost              = cost,
    .closed_form       = "2α⌈log₂P⌉ + 2βn(P−1)/P",
    .optimal           = "β; α within 2",
    .differs           = PEAL_DIFFERS(SIZES),
    .source            = "Träff, arXiv 2410.14234",
};
