/* SPDX-License-Identifier: MIT */
/* Scatter, sbnt-plain: the spanning balanced n-tree as it was published: subtrees within a factor of two.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       log₂P
 *   cost         α log₂P + βm(N-1), N the necklaces of n bits, P = 2^n on a hypercube: N-1 = 1, 2, 3, 5, 7, 13, 19, 35,
 *                ..
 *   space        the blocks of its subtree, and 28 bytes for each that there could be; O(P log²P) steps to find them
 *   derivation   sbnt.c: a word that is its own rotation hangs on the first of its links, so subtree 0 has a node of
 *                each necklace but the zeros; for a prime n only the ones are such a word, and it is as good as sbnt
 *   source       C.-T. Ho and S. L. Johnsson, spanning balanced n-tree routing in hypercubes, 1986
 *
 *   P = 8 (hypercube), root 0
 *     round 1    0 -> 1 {7}
 *     round 2    0 -> 1 {3}        0 -> 2 {6}     0 -> 4 {5}     1 -> 3 {7}
 *     round 3    0 -> 1 {1}        0 -> 2 {2}     0 -> 4 {4}     1 -> 3 {3}    3 -> 7    2 -> 6    4 -> 5     */
#include "../patterns/sbnt.h"

static void
scatter_sbnt_plain_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    sbnt_scatter(me, SBNT_PLAIN, in, blocks, root, out);
}

static void
scatter_sbnt_plain_cost(struct closed *sum)
{
    sbnt_closed(sum, SBNT_PLAIN);
}

const struct peal_algorithm scatter_sbnt_plain = {
    .collective         = PEAL_SCATTER,
    .name               = "sbnt-plain",
    .summary            = "all links of the root carry subtrees at once: the tree as it was published",
    .run.scatter        = scatter_sbnt_plain_run,
    .needs.power_of_two = true,
    .needs.ports        = PEAL_PORTS_ALL,
    .needs.kinds        = "hypercube",
    .cost               = scatter_sbnt_plain_cost,
    .posts              = PEAL_POSTS_ONE,
    .texts              = sbnt_plain_texts,
    .optimal            = "α, t_d; β for prime log₂P",
    .source             = "Ho and Johnsson 1986",
};
