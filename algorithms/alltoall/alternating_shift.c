/* SPDX-License-Identifier: MIT */
/* All-to-all, alternating-shift: in round i even nodes send to the node i ranks on, odd ones to the node i ranks back.
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       P-1
 *   cost         (P-1)(α + βm) where no links are shared; on a ring (P-1)α + βm(2⌊P²/16⌋ + P/2), half the words of
 *                `shift`; any even P
 *   space        none: blocks leave from and arrive in place
 *   derivation   half of the messages go either way round, so a link carries ⌈i/2⌉ of them (swing.c); but i = P/2 is as
 *                far both ways, and all go up.  On a line nothing is gained, for there a shift goes both ways already
 *   source       Peal's own; the bound of a ring is P²/8 (Lemma 14)
 *
 *   P = 6
 *     round 1    0 -> 1    1 -> 0    2 -> 3    3 -> 2    4 -> 5    5 -> 4
 *     round 2    0 -> 2    1 -> 5    2 -> 4    3 -> 1    4 -> 0    5 -> 3
 *     round 3    0 -> 3    1 -> 4    2 -> 5    3 -> 0    4 -> 1    5 -> 2
 *     round 4    0 -> 4    1 -> 3    2 -> 0    3 -> 5    4 -> 2    5 -> 1
 *     round 5    0 -> 5    1 -> 2    2 -> 1    3 -> 4    4 -> 3    5 -> 0                                    */
#include "../patterns/swing.h"

static void
alltoall_alternating_shift_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                               const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, in, send, r);

    peal_packet(me, blocks_longest(me, send));
    block_copy(me, block_of(me, out, receive, r).data, own.data, own.words);
    for (int i = 1; i < P; i++) {
        int above = (r + i) % P, below = (r - i + P) % P;
        int dest = r % 2 == 0 ? above : below, source = below % 2 == 0 ? below : above;

        exchange(me, block_of(me, in, send, dest), dest, block_of(me, out, receive, source), source);
    }
}

static void
alltoall_alternating_shift_cost(struct closed *sum)
{
    for (int i = 1; i < sum->situation->nodes && sum->known; i++)
        swing_closed_shift(sum, i, closed_words(sum));
}

const struct peal_algorithm alltoall_alternating_shift = {
    .collective   = PEAL_ALLTOALL,
    .name         = "alternating-shift",
    .summary      = "even nodes send i ranks on, odd ones i ranks back",
    .run.alltoall = alltoall_alternating_shift_run,
    .needs.even   = true,
    .cost         = alltoall_alternating_shift_cost,
    .texts        = TEXTS(
        {.on = "full", .alpha = "α(P−1)", .beta = "βm(P−1)", .near = true},
        {.on = "ring", .alpha = "α(P−1)", .beta = "βm(2⌊P²/16⌋+P/2)", .hop = "t_dP²/4"},
        {.on = "line", .alpha = "α(P−1)", .beta = "βm(P²/4+⌊P/4⌋)", .hop = "t_d(P(P−2)+2−P²/4)"},
        {.on = "hypercube", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P log₂P−3P/2+2)",
         .stored = "βm(P log₂P−3P/2+2)"}),
    .optimal      = "β; on a ring within 1 + 4/P",
    .lists        = 2,
    .source       = "Peal's own",
};
