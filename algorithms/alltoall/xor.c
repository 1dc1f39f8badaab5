/* SPDX-License-Identifier: MIT */
/* All-to-all, xor: in round i every node exchanges blocks with the node whose rank differs in the bits of i.
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       P-1
 *   cost         (P-1)(α + βm) on full networks and hypercubes; on a line (P-1)α + βm(P²-1)/3; P = 2^q
 *   space        none: blocks leave from and arrive in place
 *   derivation   a round of i with h the top bit of i loads a line by h: Σ h² over the q bits.  On a ring h/2 where i
 *                has P/2 and more, P/2 once: see closed.c
 *   source       Grama et al. 2003, section 4.5.3, optimal on a hypercube; MPICH, pairwise exchange
 *
 *   P = 4 (P must be a power of two)
 *     round 1    0 -> 1    1 -> 0    2 -> 3    3 -> 2
 *     round 2    0 -> 2    1 -> 3    2 -> 0    3 -> 1
 *     round 3    0 -> 3    1 -> 2    2 -> 1    3 -> 0                                                        */
#include "../catalog.h"

static void
alltoall_xor_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                 const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, in, send, r);

    peal_packet(me, blocks_longest(me, send));
    block_copy(me, block_of(me, out, receive, r).data, own.data, own.words);
    for (int i = 1; i < P; i++)
        exchange(me, block_of(me, in, send, r ^ i), r ^ i, block_of(me, out, receive, r ^ i), r ^ i);
}

static void
alltoall_xor_cost(struct closed *sum)
{
    for (int i = 1; i < sum->situation->nodes && sum->known; i++)
        closed_add_xor(sum, i, closed_words(sum));
}

/* Only the book's formulas are here; allgather/pair also has the others. */
const struct peal_algorithm alltoall_xor = {
    .collective         = PEAL_ALLTOALL,
    .name               = "xor",
    .summary            = "exchange with rank ^ i in round i",
    .run.alltoall       = alltoall_xor_run,
    .needs.power_of_two = true,
    .cost               = alltoall_xor_cost,
    .texts              = TEXTS(
        {.on = "full", .alpha = "α(P−1)", .beta = "βm(P−1)", .near = true, .cited = ""},
        {.on = "hypercube", .alpha = "α(P−1)", .beta = "βm(P−1)", .cited = ""},
        {.rows = xors_texts}),
    .optimal            = "β",
    .lists              = 2,
    .source             = "Grama et al. 2003, section 4.5.3; MPICH, pairwise exchange",
};
