/* SPDX-License-Identifier: MIT */
/* Gather, sbnt: scatter/sbnt backwards, round by round.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       log₂P
 *   cost         as scatter/sbnt
 *   space        the blocks of its subtree, and 28 bytes for each that there could be; O(P log²P) steps to find them
 *   derivation   its messages, reversed in direction and in order
 *   source       Ho and Johnsson 1986, reversed
 *
 *   P = 8 (hypercube), root 0
 *     round 1    1 -> 0 {1}        2 -> 0 {2}     4 -> 0 {4}     3 -> 1 {3}    7 -> 3    6 -> 2    5 -> 4
 *     round 2    1 -> 0 {3}        2 -> 0 {6}     4 -> 0 {5}     3 -> 1 {7}
 *     round 3    1 -> 0 {7}                                                                                 */
#include "../patterns/sbnt.h"

static void
gather_sbnt_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    sbnt_gather(me, SBNT_BALANCED, out, blocks, root, in);
}

const struct peal_algorithm gather_sbnt = {
    .collective         = PEAL_GATHER,
    .name               = "sbnt",
    .summary            = "scatter/sbnt backwards, round by round",
    .run.gather         = gather_sbnt_run,
    .needs.power_of_two = true,
    .needs.ports        = PEAL_PORTS_ALL,
    .needs.kinds        = "hypercube",
    .costs_as           = &scatter_sbnt,
    .texts              = sbnt_texts,
    .optimal            = "α, β, t_d",
    .source             = "Ho and Johnsson 1986, reversed",
};
