/* SPDX-License-Identifier: MIT */
/* Scatter, k-nomial:K: cut the nodes into K parts, give each far part its blocks, and do the same in all parts at once.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       (K-1)log_K P for P = K^j
 *   cost         α(K-1)log_K P + βm(P-1) for P = K^j; any P with as many rounds as digits d and places w with dw < P;
 *                the words are P-1 blocks for every P
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   binomial.c: with K = 2 the binomial tree, which has the fewest rounds where a node sends one message a
 *                round (with more ports: scatter/k-port); with K >= P the linear one, which the noncombining machine
 *                takes
 *   source       MPICH, k-nomial trees
 *
 *   P = 7, K = 3, root 0
 *     round 1    0 -> 3 {3 4 5}
 *     round 2    0 -> 6 {6}
 *     round 3    0 -> 1 {1}     3 -> 4 {4}
 *     round 4    0 -> 2 {2}     3 -> 5 {5}                                                                  */
#include "../patterns/binomial.h"

static void
scatter_k_nomial_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, K = peal_parameter(me) > 2 ? peal_parameter(me) : 2,
        w = 1;
    struct bundle mine = {0};

    peal_packet(me, blocks_longest(me, blocks));
    if (r == 0)
        mine = bundle_of_root(me, in, blocks);
    while (w <= (P - 1) / K)
        w *= K;
    for (; w >= 1; w /= K) {
        int digit = r / w % K;                           /* at place w; it is my turn if only zeros follow */

        if (r % w == 0 && digit > 0) {
            struct span part = span_from(root, P, r, r + w < P ? r + w : P);

            mine = bundle_with_room(me, part, blocks, out);
            bundle_recv(me, &mine, part, (r - digit * w + root) % P);
        }
        for (int d = 1; d < K && d <= (P - 1) / w && r % w == 0 && digit == 0; d++) {
            int begin = r + d * w, end = begin < P - w ? begin + w : P;

            if (r < P - d * w)
                bundle_send(me, &mine, span_from(root, P, begin, end), (begin + root) % P);
            else
                peal_next_round(me);
        }
        for (int d = digit + 1; d < K && d <= (P - 1) / w && r % w == 0 && digit > 0; d++)
            peal_next_round(me);                         /* until my later siblings have theirs */
    }
    if (r == 0)
        block_copy(me, out, block_of(me, in, blocks, root).data, peal_blocks_words(blocks, root));
}

/* The binomial tree has the fewest rounds; on the noncombining machine only single blocks go. */
static int
choose(const struct peal_situation *situation)
{
    return situation->noncombining && situation->nodes > 2 ? situation->nodes : 2;
}

static void
scatter_k_nomial_cost(struct closed *sum)
{
    int K = peal_algorithm_parameter(&scatter_k_nomial, sum->situation);

    if (sum->situation->nodes > K + 1)
        closed_bundles(sum);                               /* the first bundle has more than one block: it is refused */
    knomial_closed(sum, CARRIES_BUNDLE, K);
}

const struct peal_algorithm scatter_k_nomial = {
    .collective  = PEAL_SCATTER,
    .name        = "k-nomial",
    .summary     = "cut the nodes into K parts, the largest bundles first",
    .run.scatter = scatter_k_nomial_run,
    .parameter   = {.name = "parts", .least = 2, .choose = choose},
    .cost        = scatter_k_nomial_cost,
    .posts       = PEAL_POSTS_ONE,
    .texts       = k_nomial_block_texts,
    .optimal     = "β; α with K = 2",
    .source      = "MPICH, k-nomial trees",
};
