/* SPDX-License-Identifier: MIT */
/* Scatter, sbnt: each link of the root carries one subtree, all as nearly of one size as possible: a balanced n-tree.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       log₂P
 *   cost         α log₂P + βm⌈(P-1)/log₂P⌉, P = 2^n on a hypercube: Lemma 7, met with equality; t_d log₂P
 *   space        the blocks of its subtree, and 28 bytes for each that there could be; O(P log²P) steps to find them
 *   derivation   sbnt.c: the largest of n subtrees has ⌈(2^n-1)/n⌉ nodes for n <= 16; farthest first, all blocks arrive
 *                in n rounds
 *   source       Ho and Johnsson 1986, spanning balanced n-tree; the balancing of words with a period is our own
 *
 *   P = 8 (hypercube), root 0
 *     round 1    0 -> 1 {7}
 *     round 2    0 -> 1 {3}        0 -> 2 {6}     0 -> 4 {5}     1 -> 3 {7}
 *     round 3    0 -> 1 {1}        0 -> 2 {2}     0 -> 4 {4}     1 -> 3 {3}    3 -> 7    2 -> 6    4 -> 5     */
#include "../patterns/sbnt.h"

static void
scatter_sbnt_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    sbnt_scatter(me, SBNT_BALANCED, in, blocks, root, out);
}

static void
scatter_sbnt_cost(struct closed *sum)
{
    sbnt_closed(sum, SBNT_BALANCED);
}

const struct peal_algorithm scatter_sbnt = {
    .collective         = PEAL_SCATTER,
    .name               = "sbnt",
    .summary            = "all links of the root carry balanced subtrees at once, farthest nodes first",
    .run.scatter        = scatter_sbnt_run,
    .needs.power_of_two = true,
    .needs.ports        = PEAL_PORTS_ALL,
    .needs.kinds        = "hypercube",
    .cost               = scatter_sbnt_cost,
    .posts              = PEAL_POSTS_ONE,
    .texts              = sbnt_texts,
    .optimal            = "α, β, t_d",
    .source             = "Ho and Johnsson 1986, balanced",
};
