/* SPDX-License-Identifier: MIT */
/* All-to-all, ring: send to the right all blocks that have not arrived yet, round after round.
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       P-1
 *   cost         (P-1)α + βmP(P-1)/2, any P, on all networks
 *   space        2P blocks
 *   derivation   in round i every node passes on P-i blocks, of the node i-1 ranks back; one of those that come is its
 *                own.  The pattern r -> r+1 shares no link (closed.c).  Twice the words of `shift` on a ring, but each
 *                over one link: it pays under store-forward switching
 *   source       Grama et al. 2003, section 4.5.1
 *
 *   P = 4, from node 0's side
 *     round 1    0 -> 1 {0's 1 2 3}     3 -> 0 {3's 0 1 2}
 *     round 2    0 -> 1 {3's 1 2}       3 -> 0 {2's 0 1}
 *     round 3    0 -> 1 {2's 1}         3 -> 0 {1's 0}                                                       */
#include "../patterns/forward.h"

static void
alltoall_ring_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                  const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me);
    struct line line = {.length = P, .place = r, .left = (r - 1 + P) % P, .right = (r + 1) % P};

    (void)receive;                                       /* blocks of one length */
    peal_packet(me, blocks_longest(me, send));
    forward_round(me, &line, in, blocks_longest(me, send), out);
}

static void
alltoall_ring_cost(struct closed *sum)
{
    closed_bundles(sum);
    for (int i = sum->situation->nodes - 1; i >= 1 && sum->known; i--)
        closed_add_shift(sum, 1, closed_product(sum, closed_words(sum), i));
}

const struct peal_algorithm alltoall_ring = {
    .collective         = PEAL_ALLTOALL,
    .name               = "ring",
    .summary            = "pass on to the right all blocks that are not home yet",
    .run.alltoall       = alltoall_ring_run,
    .needs.equal_blocks = true,
    .cost               = alltoall_ring_cost,
    .texts              = TEXTS(
        {.on = "full ring", .alpha = "α(P−1)", .beta = "βmP(P−1)/2", .near = true, .cited = ""},
        {.on = "line", .alpha = "α(P−1)", .beta = "βmP(P−1)/2", .hop = "t_d(P−1)²", .stored = "βmP(P−1)²/2"},
        {.on = "mesh", .alpha = "α(P−1)", .beta = "βmP(P−1)/2", .hop = "t_d(P−1)Σ(zᵢ−1)",
         .stored = "βmP(P−1)Σ(zᵢ−1)/2"},
        {.on = "torus", .alpha = "α(P−1)", .beta = "βmP(P−1)/2", .hop = "t_d(P−1)Σ[zᵢ > 1]",
         .stored = "βmP(P−1)Σ[zᵢ > 1]/2"},
        {.on = "hypercube", .alpha = "α(P−1)", .beta = "βmP(P−1)/2", .hop = "t_d(P−1)log₂P",
         .stored = "βmP(P−1)log₂P/2"}),
    .holds              = 4,
    .lists              = 6,
    .source             = "Grama et al. 2003, section 4.5.1",
};
