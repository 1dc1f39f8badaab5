/* SPDX-License-Identifier: MIT */
/* All-reduce, bine: reduce along a tree whose messages go 1, 1, 3, 5, 11, .. places either way round, then broadcast back.
 *
 *   before       node i has n words xᵢ
 *   after        every node has the combination of all
 *   rounds       2 log₂P
 *   cost         2(α + βn) log₂P on full networks and rings, P = 2^q; on a ring 2⌊2P/3⌋ hops in all, the binomial tree's 2(P-1)
 *   space        n words
 *   rank order   is not kept; needs a commutative operator
 *   derivation   write x to base -2 in q digits (x - P if x does not fit), u the length of the run of equal digits at its end:
 *                x sends to its Swing partner of step u-1, in that round.  Those that then receive end in u+1 equal digits: they
 *                are 0 or |1-(-2)^(u+1)|/3, modulo 2^(u+1), even ones reach up and odd ones down, less than 2^u far: no link of
 *                a ring is shared
 *   source       De Sensi et al., SC 2025, arXiv 2508.17311
 *
 *   P = 8 (only a power of two will do)
 *     round 0    1 -> 0    2 -> 3    5 -> 4    6 -> 7
 *     round 1    4 -> 3    7 -> 0
 *     round 2    3 -> 0
 *     rounds 3 to 5: the same backwards, turned round                                                        */
#include "../blocks.h"
#include "../catalog.h"
#include "../swing.h"

/* The step in which x leaves the reduction, q for 0: the run of equal digits at the end of x to base -2, less 1. */
static int
step_of(int P, int x)
{
    int q = ceiling_log2(P), run = 1;
    uint32_t mask = 0xaaaaaaaau, digits = ((uint32_t)x + mask) ^ mask;

    if (x == 0)
        return q;
    if (digits >> q != 0)
        digits = ((uint32_t)(x - P) + mask) ^ mask;
    while (run < q && (digits >> run & 1) == (digits & 1))
        run++;
    return run - 1;
}

static void
run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me), mine = step_of(P, r);
    void *x = mine > 0 ? peal_scratch(me, n) : NULL;

    for (int s = 0; s < mine; s++) {
        peal_recv(me, x, n, swing_partner(P, r, s));
        op->combine(a, x, a, n);
    }
    if (r > 0) {
        peal_send(me, a, n, swing_partner(P, r, mine));
        peal_recv(me, a, n, swing_partner(P, r, mine));
    }
    for (int s = mine - 1; s >= 0; s--)
        peal_send(me, a, n, swing_partner(P, r, s));
}

static bool
cost(const struct peal_situation *situation, struct peal_cost *cost)
{
    int P = situation->nodes;
    struct closed sum;

    closed_begin(&sum, situation, POSTS_ONE);
    if (sum.shape.kind != SHAPE_FULL && sum.shape.kind != SHAPE_RING)
        sum.known = false;
    for (int s = 0; s < ceiling_log2(P) && sum.known; s++)
        closed_add_same(&sum, 2, closed_words(&sum),
                        sum.shape.kind == SHAPE_FULL ? 1 : shape_hops(&sum.shape, 0, 0, swing_distance(P, s)));
    return closed_end(&sum, cost);
}

const struct peal_algorithm allreduce_bine = {
    .collective            = PEAL_ALLREDUCE,
    .name                  = "bine",
    .summary               = "reduce and broadcast along a tree with short ways either way round",
    .run.allreduce         = run,
    .requires.power_of_two = true,
    .requires.commutative  = true,
    .cost                  = cost,
    .closed_on             = "full ring",
    .closed_form           = "2(α + βn) log₂P",
    .optimal               = "α within 2; hops on a ring",
    .source                = "De Sensi et al., SC 2025, arXiv 2508.17311",
};
