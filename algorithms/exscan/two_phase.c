/* SPDX-License-Identifier: MIT */
/* Exscan, two-phase:Q: in the first Q rounds nodes send sums that include their own vector, 1, 2, 4, .. ranks on; in
 * the others the sum of those before them.
 *
 *   before       node i has n words xᵢ
 *   after        node i > 0 has x₀ ⊕ .. ⊕ x_{i-1}; node 0 is unchanged
 *   rounds       Q + ⌈log₂((P-1)/(2^Q-1))⌉ while 2^Q <= P; ⌈log₂P⌉ with the best Q, the default
 *   cost         (α + βn)⌈log₂P⌉ with that Q, any P, on a full network
 *   space        3n words
 *   operations   q-1 for received sums in q rounds, and Q-1 for sent ones: a smaller Q saves operations and may take a
 *                round more.  q = ⌈log₂P⌉ rounds need Q >= q - log₂(2^q-P+1) (the paper)
 *   keeps rank order, for any associative operator
 *   derivation   prefixes.c: the sums cover 2^Q-1 ranks after the first phase, and twice as many after each further
 *                round: (2^Q-1)·2^(q-Q) >= P-1.  Q = 1 is shift-doubling, Q = 2 is 123-doubling.  No algorithm takes
 *                fewer rounds: the own vector and received ones are at most 2^q vectors, so 2^q-1 others
 *   source       Träff 2026, arXiv 2604.25667, first algorithm
 *
 *   P = 8, Q = 3
 *     round 1    0 -> 1    1 -> 2    2 -> 3    3 -> 4    4 -> 5    5 -> 6    6 -> 7
 *     round 2    0 -> 2    1 -> 3    2 -> 4    3 -> 5    4 -> 6    5 -> 7
 *     round 3    0 -> 4    1 -> 5    2 -> 6    3 -> 7                                                        */
#include "../patterns/prefixes.h"

enum { MAX = 31 };

static uint32_t
own(int inclusive)
{
    return (uint32_t)((UINT64_C(1) << inclusive) - 1);
}

/* The least Q with the fewest rounds. */
static int
best(const struct peal_situation *situation)
{
    int P = situation->nodes, Q = 1;

    while (Q < MAX && prefixes_rounds(P, own(Q)) > ceiling_log2(P))
        Q++;
    return Q;
}

static void
exscan_two_phase_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    prefixes(me, op, a, n, own(peal_parameter(me)));
}

static void
exscan_two_phase_cost(struct closed *sum)
{
    prefixes_closed(sum, own(closed_parameter(sum->situation, best)));
}

const struct peal_algorithm exscan_two_phase = {
    .collective  = PEAL_EXSCAN,
    .name        = "two-phase",
    .summary     = "shift sums, in the first N rounds with one's own vector",
    .run.exscan  = exscan_two_phase_run,
    .parameter   = {.name = "inclusive", .least = 1, .most = MAX, .choose = best},
    .cost        = exscan_two_phase_cost,
    .closed_on   = "full line ring",
    .texts       = TEXTS(
        {.on = "full", .alpha = "α(min(A, ⌈log₂P⌉)+max(0, ⌈log₂((P−1)/(2^A−1))⌉))",
         .beta = "βn(min(A, ⌈log₂P⌉)+max(0, ⌈log₂((P−1)/(2^A−1))⌉))", .near = true, .names = "A = parameter"}),
    .optimal     = "α",
    .holds       = 6,
    .source      = "Träff 2026, arXiv 2604.25667",
};
