/* SPDX-License-Identifier: MIT */
/* Exscan, linear: each node waits for the sum of those before it, and passes it on with its own added, in b blocks one
 * after the other.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}; node 0 is unchanged
 *   rounds       P-2+b; b is the number after the name, by default the best
 *   cost         (P-2+b)α + β(n + (P-2)⌈n/b⌉), any P
 *   space        2⌈n/b⌉ words
 *   keeps rank order, for any associative operator
 *   derivation   block j goes from i to i+1 in round i+j+1: the rounds and links of broadcast/chain
 *   source       Sanders, Speck, Träff 2009, section 1 (pipelining); Open MPI, linear exscan (b = 1)
 *
 *   P = 4, b = 2
 *     round 1    0 -> 1 {0}
 *     round 2    0 -> 1 {1}    1 -> 2 {0}
 *     round 3                  1 -> 2 {1}    2 -> 3 {0}
 *     round 4                                2 -> 3 {1}                                                      */
#include "../patterns/trees.h"

static void
exscan_linear_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me), b = peal_parameter(me);
    void *x = peal_scratch(me, peal_block_words(n, b, 0)), *on = peal_scratch(me, peal_block_words(n, b, 0));

    for (int j = 0; j <= b; j++) {                       /* receive block j, pass on block j-1 */
        struct peal_piece mine = piece_of(me, a, n, b, j < b ? j : 0);

        if (r > 0 && j < b)
            peal_recv_async(me, x, mine.words, r - 1);
        if (r < P - 1 && j > 0)
            peal_send_async(me, r == 0 ? piece_of(me, a, n, b, j - 1).data : on, peal_block_words(n, b, j - 1), r + 1);
        peal_wait_all(me);
        if (r > 0 && j < b) {
            peal_combine(op, x, mine.data, on, mine.words);
            block_copy(me, mine.data, x, mine.words);
        }
    }
}

const struct peal_algorithm exscan_linear = {
    .collective  = PEAL_EXSCAN,
    .name        = "linear",
    .summary     = "each passes on the sum with its own added, in N blocks",
    .run.exscan  = exscan_linear_run,
    .parameter   = {.name = "blocks", .least = 1, .most = PIECES_MAX, .choose = chain_pieces},
    .costs_as    = &broadcast_chain,
    .texts       = scan_chain_texts,
    .optimal     = "β, with many blocks",
    .holds       = 1,
    .source      = "Sanders, Speck, Träff 2009, section 1; Open MPI, linear exscan",
};
