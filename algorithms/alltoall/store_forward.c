/* SPDX-License-Identifier: MIT */
/* All-to-all, store-forward: on a hypercube, send along each dimension all blocks whose destination is on the other
 * side.
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       log₂P
 *   cost         log₂P (α + βmP/2), P = 2^q; on a line α log₂P + βmP(P-1)/2
 *   space        P blocks, lists of P/2 pieces; 3P short blocks, which are packed
 *   derivation   a block for r ^ x goes the bits of x: half of the slots have a bit.  Exchanges with r ^ d share no
 *                link on a hypercube; on a line d of them cross a middle
 *   source       Grama et al. 2003, section 4.5.3
 *
 *   P = 4
 *     round 1    0 -> 1 {1 3}    1 -> 0 {0 2}    2 -> 3 {1 3}    3 -> 2 {0 2}
 *     round 2    0 -> 2 {2 3}    1 -> 3 {2 3}    2 -> 0 {0 1}    3 -> 1 {0 1}
 *   In round 2 each block {j} is two: the node's own, and the one it received for j in round 1.                     */
#include "../patterns/slots.h"

static void
alltoall_store_forward_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                           const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me);
    struct slot_blocks slots = slots_init(me, in, send, out, 2, true);

    (void)receive;                                       /* blocks of one length */
    peal_packet(me, blocks_longest(me, send));
    for (int d = 1; d < P; d *= 2) {
        slots_post(me, &slots, d, 1, r ^ d, r ^ d);
        slots_wait(me, &slots);
    }
    slots_finish(&slots);
}

static void
alltoall_store_forward_cost(struct closed *sum)
{
    closed_bundles(sum);
    for (int d = 1; d < sum->situation->nodes; d *= 2)
        closed_add_xor(sum, d, closed_product(sum, closed_words(sum), sum->situation->nodes / 2));
}

/* P/2 blocks with each exchange of all-reduce/recursive-doubling. */
const struct peal_algorithm alltoall_store_forward = {
    .collective         = PEAL_ALLTOALL,
    .name               = "store-forward",
    .summary            = "along each dimension of a hypercube, all that lies on the other side",
    .run.alltoall       = alltoall_store_forward_run,
    .needs.power_of_two = true,
    .needs.equal_blocks = true,
    .cost               = alltoall_store_forward_cost,
    .texts              = TEXTS(
        {.on = "full hypercube", .alpha = "α log₂P", .beta = "βm(P/2)log₂P", .near = true, .cited = ""},
        {.on = "line", .alpha = "α log₂P", .beta = "βmP(P−1)/2", .hop = "t_d(P−1)", .stored = "βmP³/8"},
        {.on = "ring", .alpha = "α log₂P", .beta = "βmP(P−1)/2", .hop = "t_d(P−1)",
         .stored = "βm(P/2)(P²/4+[P > 2]P²/16)"},
        {.on = "mesh", .alpha = "α log₂P", .beta = "βm(P/2)Σ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)", .stored = "βm(P/2)Σzᵢ²/4"},
        {.on = "torus", .alpha = "α log₂P", .beta = "βm(P/2)Σ(zᵢ−1)", .hop = "t_dΣ(zᵢ−1)",
         .stored = "βm(P/2)Σ(zᵢ²/4+[zᵢ > 2]zᵢ²/16)"}),
    .optimal            = "α",
    .holds              = 3,
    .lists              = 4,
    .source             = "Grama et al. 2003, section 4.5.3",
};
