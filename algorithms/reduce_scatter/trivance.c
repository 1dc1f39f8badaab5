/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, trivance: with two ports, send sums of blocks to nodes on both sides, a third as many in each round.
 *
 *   before       node i has P blocks of m words
 *   after        node i has the combination of block i of all
 *   rounds       ⌈log₃P⌉ with two ports
 *   cost         α⌈log₃P⌉ + βm⌈(P-1)/2⌉ on a full network, any P; on a ring of 3^q nodes qα + βm(P²-1)/8
 *   space        3P blocks
 *   rank order   is not kept; needs a commutative operator
 *   derivation   allgather/trivance in reverse: where a node received blocks there, it now sends its sums of them
 *   source       Jürß, Addanki, Schmid 2026, arXiv 2602.17254
 *
 *   P = 7
 *     round 1    r -> r+2 {r+2, r+3}    r -> r-2 {r-3, r-2}
 *     round 2    r -> r+1 {r+1}         r -> r-1 {r-1}                                                       */
#include "../patterns/lists.h"
#include "../patterns/trivance.h"

/* Add the received sums of the blocks l .. l+count-1 to the node's. */
static void
add(struct peal_node *me, const struct peal_op *op, void *sum, const void *came, const struct peal_blocks *blocks,
    int l, int count)
{
    struct peal_piece kept[2], got[2];
    int pieces = blocks_round(me, came, blocks, l, count, got);

    blocks_round(me, sum, blocks, l, count, kept);
    combine_pieces(op, kept, got, kept, pieces);
}

static void
reduce_scatter_trivance_run(struct peal_node *me, const struct peal_op *op, const void *in,
                            const struct peal_blocks *blocks, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    struct trivance_step steps[TRIVANCE_STEPS];
    size_t n = blocks_all(me, blocks);
    void *sum = peal_scratch(me, n), *x = peal_scratch(me, n), *y = peal_scratch(me, n);
    struct peal_piece pieces[2];

    peal_packet(me, blocks_longest(me, blocks));
    block_copy(me, sum, in, n);
    for (int i = trivance_steps(P, steps) - 1; i >= 0; i--) {
        const struct trivance_step *s = &steps[i];
        int first = r - s->reach + P, last = r + s->reach + P;

        peal_sendv_async(me, pieces, blocks_round(me, sum, blocks, last + 1 - P, s->up, pieces), (r + s->up_by) % P);
        peal_recvv_async(me, pieces, blocks_round(me, x, blocks, last - s->up + 1, s->up, pieces),
                         (r - s->up_by + P) % P);
        if (s->down > 0) {
            peal_sendv_async(me, pieces, blocks_round(me, sum, blocks, first - s->down, s->down, pieces),
                             (r - s->down_by + P) % P);
            peal_recvv_async(me, pieces, blocks_round(me, y, blocks, first, s->down, pieces), (r + s->down_by) % P);
        }
        peal_wait_all(me);
        add(me, op, sum, x, blocks, last - s->up + 1, s->up);
        if (s->down > 0)
            add(me, op, sum, y, blocks, first, s->down);
    }
    block_copy(me, out, block_of(me, sum, blocks, r).data, peal_blocks_words(blocks, r));
}

const struct peal_algorithm reduce_scatter_trivance = {
    .collective         = PEAL_REDUCE_SCATTER,
    .name               = "trivance",
    .summary            = "with two ports, send sums to both sides, a third as many blocks a round",
    .run.reduce_scatter = reduce_scatter_trivance_run,
    .needs.ports        = 2,
    .needs.commutative  = true,
    .costs_as           = &allgather_trivance,
    .closed_on          = "",
    .texts              = trivance_texts,
    .optimal            = "α, β with two ports",
    .differs            = PEAL_DIFFERS(SIZES),
    .source             = "Jürß, Addanki, Schmid 2026, arXiv 2602.17254",
};
