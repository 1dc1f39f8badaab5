/* SPDX-License-Identifier: MIT */
/* Reduce, k-nomial:K: K neighbouring nodes combine at the first of them, then K of those, and so on.
 *
 *   before       node i has n words xᵢ
 *   after        the root has x₀ ⊕ x₁ ⊕ .. ⊕ x_{P-1}; the vectors of the others are unchanged
 *   rounds       (K-1)log_K P for P = K^j; else as many as there are digits d and places w in base K with dw < P
 *   cost         as many times α + βn, any P and root on a full network or ring; root 0 on lines, and grids of powers
 *                of K
 *   space        2n words at an inner node, n at the root, none at a leaf
 *   keeps rank order from root 0; another root needs an operator that commutes
 *   derivation   broadcast/k_nomial.c backwards: the nearest part comes first, so the ranks combined so far are a
 *                range
 *   source       Open MPI's knomial; MPICH, k-nomial trees
 *
 *   P = 7, K = 3, root 0
 *     round 1    1 -> 0     4 -> 3                  x₀x₁       x₃x₄
 *     round 2    2 -> 0     5 -> 3                  x₀x₁x₂     x₃x₄x₅
 *     round 3    3 -> 0                             x₀ .. x₅
 *     round 4    6 -> 0                             all                                                     */
#include "../patterns/binomial.h"

static void
reduce_k_nomial_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, K = peal_parameter(me);
    void *sum = a, *mine = NULL, *x = NULL;

    for (int w = 1; w < P; w = w <= (P - 1) / K ? w * K : P) {
        int digit = r / w % K, most = (P - 1) / w < K - 1 ? (P - 1) / w : K - 1;

        if (digit > 0) {                                 /* after my earlier siblings */
            rest(me, digit - 1);
            peal_send(me, sum, n, (r - digit * w + root) % P);
            return;
        }
        for (int d = 1; d <= most; d++) {
            if (r >= P - d * w) {
                peal_next_round(me);
                continue;
            }
            if (mine == NULL) {
                mine = r == 0 ? a : peal_scratch(me, n);
                x = peal_scratch(me, n);
            }
            peal_recv(me, x, n, (r + d * w + root) % P);
            peal_combine(op, sum, x, mine, n);
            sum = mine;
        }
    }
}

static int
choose(const struct peal_situation *situation)
{
    (void)situation;
    return 2;
}

const struct peal_algorithm reduce_k_nomial = {
    .collective              = PEAL_REDUCE,
    .name                    = "k-nomial",
    .summary                 = "K neighbours combine at the first of them, then K of those",
    .run.reduce              = reduce_k_nomial_run,
    .needs.commutative_off_0 = true,
    .parameter               = {.name = "parts", .least = 2, .choose = choose},
    .costs_as                = &broadcast_k_nomial,
    .texts                   = k_nomial_vector_texts,
    .optimal                 = "α with K = 2",
    .differs                 = PEAL_DIFFERS(ROOTS),
    .source                  = "Open MPI, knomial; MPICH, k-nomial trees",
};
