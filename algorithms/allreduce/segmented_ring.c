/* SPDX-License-Identifier: MIT */
/* All-reduce, segmented-ring: the ring's reduce-scatter a segment of the parts at a time, then its all-gather.
 *
 *   before       node i has n words xᵢ, cut into P parts of S segments; S is the number after the name
 *   after        every node has the combination of all
 *   rounds       (S+1)(P-1)
 *   cost         (S+1)(P-1)α + 2(P-1)β⌈n/P⌉, any P
 *   space        2⌈⌈n/P⌉/S⌉ words
 *   rank order   is not kept; needs a commutative operator
 *   derivation   segment j of the longest part is the longest of its rounds, and they make up the part.  Segments let a
 *                node combine one while the next is under way; where combining is free they only cost start-ups, so the
 *                default is the least, S = 2
 *   source       Open MPI, segmented ring
 *
 *   P = 3, S = 2: segment j of part i is i.j
 *     round 1    0 -> 1 {2.0}    1 -> 2 {0.0}    2 -> 0 {1.0}
 *     round 2    0 -> 1 {1.0}    1 -> 2 {2.0}    2 -> 0 {0.0}
 *     round 3    0 -> 1 {2.1}    1 -> 2 {0.1}    2 -> 0 {1.1}
 *     round 4    0 -> 1 {1.1}    1 -> 2 {2.1}    2 -> 0 {0.1}
 *     round 5    0 -> 1 {0}      1 -> 2 {1}      2 -> 0 {2}
 *     round 6    0 -> 1 {2}      1 -> 2 {0}      2 -> 0 {1}                                                  */
#include "../patterns/pieces.h"

/* Segment j of part `block`. */
static struct peal_piece
segment(const struct peal_node *me, const void *a, size_t n, int S, int block, int j)
{
    struct peal_piece part = part_of(me, a, n, block);

    return piece_of(me, part.data, part.words, S, j);
}

static void
allreduce_segmented_ring_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me), S = peal_parameter(me), left = (r - 1 + P) % P, right = (r + 1) % P;
    struct peal_blocks cut = parts(me, n);
    void *x = peal_scratch(me, segment(me, a, n, S, 0, 0).words);

    for (int j = 0; j < S; j++)
        for (int i = 0; i < P - 1; i++) {
            struct peal_piece own = segment(me, a, n, S, r - i - 2, j);

            exchange(me, segment(me, a, n, S, r - i - 1, j), right, (struct peal_piece){x, own.words}, left);
            peal_combine(op, x, own.data, own.data, own.words);
        }
    allgather_ring.run.allgather(me, block_of(me, a, &cut, r).data, &cut, a);
}

static int
choose(const struct peal_situation *situation)
{
    (void)situation;
    return 2;
}

static void
allreduce_segmented_ring_cost(struct closed *sum)
{
    int P = sum->situation->nodes, S = closed_parameter(sum->situation, choose);
    int64_t part, words;

    words = closed_words(sum);
    part = words / P + (words % P != 0);
    if (words % P != 0 && sum->situation->switching == PEAL_STORE_FORWARD)
        closed_uneven(sum);                             /* the farthest need not be the longest */
    if (P > 1) {
        closed_add_ring_rounds(sum, (P - 1) * (part % S), part / S + 1);
        closed_add_ring_rounds(sum, (P - 1) * (S - part % S), part / S);
        closed_add_ring_rounds(sum, P - 1, part);
    }
}

const struct peal_algorithm allreduce_segmented_ring = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "segmented-ring",
    .summary           = "the ring, N segments of the parts one after another",
    .run.allreduce     = allreduce_segmented_ring_run,
    .needs.commutative = true,
    .parameter         = {.name = "segments", .least = 2, .most = 1 << 20, .choose = choose},
    .cost              = allreduce_segmented_ring_cost,
    .texts             = TEXTS(
        {.on = "full ring", .when = "P | n", .alpha = "α(S+1)(P−1)", .beta = "2βn(P−1)/P", .near = true,
         .names = "S = parameter"},
        {.on = "full", .alpha = "α(S+1)(P−1)", .beta = "2β(P−1)⌈n/P⌉", .near = true, .names = "S = parameter"},
        {.on = "ring", .alpha = "α(S+1)(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "t_d(S+1)(P−1)",
         .names = "S = parameter"},
        {.on = "line", .when = "P | n", .alpha = "α(S+1)(P−1)", .beta = "2βn(P−1)/P", .hop = "t_d(S+1)(P−1)²",
         .stored = "2β(n/P)(P−1)²", .names = "S = parameter"},
        {.on = "line", .alpha = "α(S+1)(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "t_d(S+1)(P−1)²",
         .names = "S = parameter"},
        {.on = "mesh", .when = "P | n", .alpha = "α(S+1)(P−1)", .beta = "2βn(P−1)/P", .hop = "t_d(S+1)(P−1)Σ(zᵢ−1)",
         .stored = "2β(n/P)(P−1)Σ(zᵢ−1)", .names = "S = parameter"},
        {.on = "mesh", .alpha = "α(S+1)(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "t_d(S+1)(P−1)Σ(zᵢ−1)",
         .names = "S = parameter"},
        {.on = "torus", .when = "P | n", .alpha = "α(S+1)(P−1)", .beta = "2βn(P−1)/P", .hop = "t_d(S+1)(P−1)Σ[zᵢ > 1]",
         .stored = "2β(n/P)(P−1)Σ[zᵢ > 1]", .names = "S = parameter"},
        {.on = "torus", .alpha = "α(S+1)(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "t_d(S+1)(P−1)Σ[zᵢ > 1]",
         .names = "S = parameter"},
        {.on = "hypercube", .when = "P | n", .alpha = "α(S+1)(P−1)", .beta = "2βn(P−1)/P", .hop = "t_d(S+1)(P−1)log₂P",
         .stored = "2β(n/P)(P−1)log₂P", .names = "S = parameter"},
        {.on = "hypercube", .alpha = "α(S+1)(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "t_d(S+1)(P−1)log₂P",
         .names = "S = parameter"}),
    .optimal           = "β",
    .differs           = PEAL_DIFFERS(SIZES),
    .holds             = 1,
    .source            = "Open MPI, segmented ring",
};
