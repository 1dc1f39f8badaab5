/* SPDX-License-Identifier: MIT */
/* Broadcast, binomial: each node that has the words sends them to the far half of its nodes, the farthest first.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       ⌈log₂P⌉
 *   cost         ⌈log₂P⌉(α + βn), any P, root 0 on lines and meshes too (see binomial.c)
 *   space        none
 *   derivation   every round doubles the nodes that have the words, as long as there are others; each message is all of
 *                them.  The tree and its rounds are those of scatter/binomial
 *   source       Grama, Gupta, Karypis, Kumar 2003, section 4.1; Georgia Tech CS 6220, dual of the tree-based reduce
 *
 *   P = 6, root 0
 *     round 1    0 -> 4
 *     round 2    0 -> 2
 *     round 3    0 -> 1     2 -> 3     4 -> 5
 *   In round 2 node 4 has no partner, and rests: all nodes end in the same round.                          */
#include "../patterns/binomial.h"

static void
broadcast_binomial_run(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P; /* ranks as seen from the root */
    int mask = r == 0 ? 1 << ceiling_log2(P) >> 1 : r & -r;    /* how far I send first; how far from me they come */

    if (r > 0) {                                         /* get the words */
        peal_recv(me, a, n, (r - mask + root) % P);
        mask >>= 1;
    }
    for (; mask >= 1; mask >>= 1) {                      /* I have the words */
        if (r + mask < P)
            peal_send(me, a, n, (r + mask + root) % P);
        else
            peal_next_round(me);
    }
}

static void
broadcast_binomial_cost(struct closed *sum)
{
    binomial_closed(sum, CARRIES_VECTOR);
}

const struct peal_algorithm broadcast_binomial = {
    .collective    = PEAL_BROADCAST,
    .name          = "binomial",
    .summary       = "whoever has the words sends them to the far half of its nodes",
    .run.broadcast = broadcast_binomial_run,
    .cost          = broadcast_binomial_cost,
    .posts         = PEAL_POSTS_ONE,
    .texts         = TEXTS(
        {.on = "full", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .near = true, .cited = "P = 2^q"},
        {.on = "hypercube", .when = "root 0", .alpha = "α log₂P", .beta = "βn log₂P", .near = true, .cited = ""},
        {.on = "hypercube", .alpha = "α log₂P", .beta = "βn log₂P", .hop = "t_d(q+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))",
         .stored = "βn(q+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))", .names = "q = log₂P", .cited = ""},
        {.on = "line", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(2^⌈log₂P⌉−1)",
         .stored = "βn(2^⌈log₂P⌉−1)", .cited = "P = 2^q"},
        {.on = "line", .when = "P = 2^q", .alpha = "α log₂P", .beta = "βn log₂P", .hop = "t_d(P−1−2r+P popcount(r))",
         .stored = "βn(P−1−2r+P popcount(r))", .cited = ""},
        {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉"},
        {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_d(P−1)", .stored = "βn(P−1)",
         .cited = "P = 2^q"},
        {.on = "mesh torus", .when = "root 0", .alpha = "α⌈log₂P⌉", .beta = "βn⌈log₂P⌉", .hop = "t_dΣ(2^⌈log₂zᵢ⌉−1)",
         .stored = "βnΣ(2^⌈log₂zᵢ⌉−1)"}),
    .optimal       = "α",
    .source        = "Grama et al. 2003, section 4.1",
};
