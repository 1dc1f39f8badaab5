/* SPDX-License-Identifier: MIT */
/* Gather, rda: scatter/rda backwards, round by round.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       Σ⌈log₂zᵢ⌉ on a mesh or torus of extents zᵢ; ⌈log₂z⌉ on a line or ring
 *   cost         that of scatter/rda: αΣ⌈log₂zᵢ⌉ + βm(P-1), any extents, any root
 *   space        the blocks of its part, none at a leaf
 *   derivation   the transfers of round i of the scatter, reversed, are those of the i-th round from the end.  A node
 *                that is ready before its round rests, so the rounds align
 *   source       P. Tvrdík's course on parallel and distributed programming: all-to-one gather is the reversed scatter
 *
 *   P = 7, line, root 0
 *     round 1    1 -> 0  3 -> 2   5 -> 4
 *     round 2    2 -> 0 {2 3}     6 -> 4 {6}
 *     round 3    4 -> 0 {4 5 6}                                                                             */
#include "../patterns/halving.h"

static void
gather_rda_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    struct halving halving;
    struct bundle mine;
    int round = 0;

    peal_packet(me, blocks_longest(me, blocks));
    halving_steps(&halving, peal_node_network(me), root, peal_rank(me), KEEPS_GREATER);
    if (peal_rank(me) == root) {
        mine = bundle_of_root(me, out, blocks);
        block_copy(me, block_of(me, out, blocks, root).data, in, peal_blocks_words(blocks, root));
    } else {
        mine = bundle_with_room(me, halving.steps[0].part, blocks, in);
    }
    for (int i = halving.count - 1; i >= 0; i--) {
        const struct halving_step *step = &halving.steps[i];
        int turn = halving.rounds - 1 - step->round;     /* the rounds run backwards */

        rest(me, turn - round);
        if (step->gives)
            bundle_recv(me, &mine, step->part, step->partner);
        else
            bundle_send(me, &mine, step->part, step->partner);
        round = turn + 1;
    }
}

const struct peal_algorithm gather_rda = {
    .collective   = PEAL_GATHER,
    .name         = "rda",
    .summary      = "scatter/rda backwards, round by round",
    .run.gather   = gather_rda_run,
    .needs.kinds  = "line ring mesh torus",
    .asks_network = true,
    .costs_as     = &scatter_rda,
    .texts        = rda_greater_texts,
    .optimal      = "β; α where Σ⌈log₂zᵢ⌉ = ⌈log₂P⌉",
    .source       = "Tvrdík, PDP course, scatter by recursive doubling, reversed",
};
