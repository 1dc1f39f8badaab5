/* SPDX-License-Identifier: MIT */
/* Broadcast, k-nomial:K: cut the nodes into K parts, send to the first node of each, the farthest first, and do the
 * same in all parts at once.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       (K-1)log_K P for P = K^j; else as many as there are digits d and places w in base K with dw < P
 *   cost         as many times α + βn, any P and root on a full network or ring; root 0 on lines, and grids of powers
 *                of K
 *   space        none
 *   derivation   binomial.c: messages stay in the parts, which are disjoint.  K = 2 is the binomial tree, which has the
 *                fewest rounds where a node sends one message a round; K >= P is the linear one
 *   source       Open MPI's knomial; MPICH, k-nomial trees
 *
 *   P = 7, K = 3, root 0
 *     round 1    0 -> 6
 *     round 2    0 -> 3
 *     round 3    0 -> 2     3 -> 5
 *     round 4    0 -> 1     3 -> 4                                                                          */
#include "../patterns/binomial.h"

static void
broadcast_k_nomial_run(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, K = peal_parameter(me), w = 1;

    while (w <= (P - 1) / K)
        w *= K;
    for (; w >= 1; w /= K) {
        int digit = r / w % K, most = (P - 1) / w < K - 1 ? (P - 1) / w : K - 1;

        if (r % w != 0)
            continue;
        if (digit > 0) {                                 /* my turn, then that of my siblings */
            peal_recv(me, a, n, (r - digit * w + root) % P);
            rest(me, digit - 1);
        }
        for (int d = most; d >= 1 && digit == 0; d--) {  /* I have the words */
            if (r < P - d * w)
                peal_send(me, a, n, (r + d * w + root) % P);
            else
                peal_next_round(me);
        }
    }
}

static int
choose(const struct peal_situation *situation)
{
    (void)situation;
    return 2;
}

static void
broadcast_k_nomial_cost(struct closed *sum)
{
    knomial_closed(sum, CARRIES_VECTOR, closed_parameter(sum->situation, choose));
}

const struct peal_algorithm broadcast_k_nomial = {
    .collective    = PEAL_BROADCAST,
    .name          = "k-nomial",
    .summary       = "cut the nodes into K parts, tell the farthest first",
    .run.broadcast = broadcast_k_nomial_run,
    .parameter     = {.name = "parts", .least = 2, .choose = choose},
    .cost          = broadcast_k_nomial_cost,
    .posts         = PEAL_POSTS_ONE,
    .texts         = k_nomial_vector_texts,
    .optimal       = "α with K = 2",
    .source        = "Open MPI, knomial; MPICH, k-nomial trees",
};
