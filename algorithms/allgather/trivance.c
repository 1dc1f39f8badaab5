/* SPDX-License-Identifier: MIT */
/* All-gather, trivance: with two ports, fetch the blocks on both sides of one's own, three times as many in each round.
 *
 *   before       node i has block i of m words
 *   after        every node has all P blocks
 *   rounds       ⌈log₃P⌉ with two ports
 *   cost         α⌈log₃P⌉ + βm⌈(P-1)/2⌉ on a full network, any P; on a ring of 3^q nodes qα + βm(P²-1)/8
 *   space        none: blocks arrive in place
 *   derivation   trivance.c: windows of 1, 3, 9, .. blocks; in the last round the missing ones, half from either side
 *   source       Jürß, Addanki, Schmid 2026, arXiv 2602.17254
 *
 *   P = 7
 *     round 1    r -> r-1 {r}          r -> r+1 {r}
 *     round 2    r -> r-2 {r, r+1}     r -> r+2 {r-1, r}                                                     */
#include "../patterns/trivance.h"

static void
allgather_trivance_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct trivance_step steps[TRIVANCE_STEPS];
    int count = trivance_steps(P, steps);
    struct peal_piece own = block_of(me, out, blocks, r), x[2];

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, own.data, in, own.words);
    for (int i = 0; i < count; i++) {
        const struct trivance_step *s = &steps[i];
        int first = r - s->reach + P, last = r + s->reach + P;

        peal_sendv_async(me, x, blocks_round(me, out, blocks, last - s->up + 1, s->up, x), (r - s->up_by + P) % P);
        peal_recvv_async(me, x, blocks_round(me, out, blocks, last + 1 - P, s->up, x), (r + s->up_by) % P);
        if (s->down > 0) {
            peal_sendv_async(me, x, blocks_round(me, out, blocks, first, s->down, x), (r + s->down_by) % P);
            peal_recvv_async(me, x, blocks_round(me, out, blocks, first - s->down, s->down, x),
                             (r - s->down_by + P) % P);
        }
        peal_wait_all(me);
    }
}

static void
allgather_trivance_cost(struct closed *sum)
{
    if (sum->situation->nodes > 2 && (sum->situation->half_duplex || closed_ports(sum->situation) < 2))
        sum->known = false;
    closed_bundles(sum);
    trivance_closed(sum, closed_words(sum));
}

const struct peal_algorithm allgather_trivance = {
    .collective    = PEAL_ALLGATHER,
    .name          = "trivance",
    .summary       = "with two ports, fetch the blocks on both sides, three times as many a round",
    .run.allgather = allgather_trivance_run,
    .needs.ports   = 2,
    .cost          = allgather_trivance_cost,
    .closed_on     = "",
    .texts         = trivance_texts,
    .optimal       = "α, β with two ports",
    .source        = "Jürß, Addanki, Schmid 2026, arXiv 2602.17254",
};
