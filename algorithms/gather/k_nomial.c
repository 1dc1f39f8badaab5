/* SPDX-License-Identifier: MIT */
/* Gather, k-nomial:K: scatter/k-nomial backwards: K neighbouring parts become one.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       (K-1)log_K P for P = K^j
 *   cost         as scatter/k-nomial, any P
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   its messages, reversed in direction and in order; a node with nothing to do in a round rests
 *   source       MPICH, k-nomial trees
 *
 *   P = 7, K = 3, root 0
 *     round 1    2 -> 0 {2}     5 -> 3 {5}
 *     round 2    1 -> 0 {1}     4 -> 3 {4}
 *     round 3    6 -> 0 {6}
 *     round 4    3 -> 0 {3 4 5}                                                                             */
#include "../patterns/binomial.h"

static void
gather_k_nomial_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, K = peal_parameter(me) > 2 ? peal_parameter(me) : 2;
    int64_t subtree = 1;                                 /* the nodes whose blocks I have, if there are that many */
    struct bundle mine;

    peal_packet(me, blocks_longest(me, blocks));
    while (r % (subtree * K) == 0 && subtree < P)
        subtree *= K;
    if (r == 0) {
        mine = bundle_of_root(me, out, blocks);
        block_copy(me, block_of(me, out, blocks, root).data, in, peal_blocks_words(blocks, root));
    } else {
        mine = bundle_with_room(me, span_from(root, P, r, r + subtree < P ? (int)(r + subtree) : P), blocks, in);
    }
    for (int64_t w = 1; w < P; w *= K) {
        int digit = (int)(r / w % K), last = (P - 1) / w < K - 1 ? (int)((P - 1) / w) : K - 1;

        for (int d = last; d > digit; d--) {
            int64_t begin = r + d * w;

            if (digit == 0 && begin < P)
                bundle_recv(me, &mine, span_from(root, P, (int)begin, begin + w < P ? (int)(begin + w) : P),
                            (int)((begin + root) % P));
            else
                peal_next_round(me);
        }
        if (digit > 0) {
            bundle_send(me, &mine, mine.span, (int)((r - digit * w + root) % P));
            return;
        }
    }
}

/* As in scatter/k-nomial. */
static int
choose(const struct peal_situation *situation)
{
    return scatter_k_nomial.parameter.choose(situation);
}

const struct peal_algorithm gather_k_nomial = {
    .collective  = PEAL_GATHER,
    .name        = "k-nomial",
    .summary     = "scatter/k-nomial backwards, round by round",
    .run.gather  = gather_k_nomial_run,
    .parameter   = {.name = "parts", .least = 2, .choose = choose},
    .costs_as    = &scatter_k_nomial,
    .texts       = k_nomial_block_texts,
    .optimal     = "β; α with K = 2",
    .source      = "MPICH, k-nomial trees",
};
