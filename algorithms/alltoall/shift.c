/* SPDX-License-Identifier: MIT */
/* All-to-all, shift: in round i every node sends to the node i ranks on, and receives from the one i ranks back.
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       P-1
 *   cost         (P-1)(α + βm) where no links are shared; on lines and rings (P-1)α + ⌊P²/4⌋βm, any P
 *   space        none: blocks leave from and arrive in place
 *   derivation   line: of the messages that go i to the right min(i, P-i) pass over one link, of those that come back
 *                P-i to the left as many; ring: all go the shorter way, min(i, P-i) links, as many on each; Σ min(i,
 *                P-i) = ⌊P²/4⌋.  The farthest goes max(i, P-i) on a line, min(i, P-i) on a ring.  A cyclic shift on a
 *                hypercube shares no link under e-cube routing.  Every node is busy in every round, so rounds align
 *   source       Grama et al. 2003, sections 4.5 and 4.6; MPICH and Open MPI, pairwise
 *
 *   P = 5
 *     round 1    0 -> 1     1 -> 2     2 -> 3     3 -> 4     4 -> 0
 *     round 2    0 -> 2     1 -> 3     2 -> 4     3 -> 0     4 -> 1
 *     round 3    0 -> 3     1 -> 4     2 -> 0     3 -> 1     4 -> 2
 *     round 4    0 -> 4     1 -> 0     2 -> 1     3 -> 2     4 -> 3                                          */
#include "../catalog.h"

static void
alltoall_shift_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                   const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, in, send, r);

    peal_packet(me, blocks_longest(me, send));
    block_copy(me, block_of(me, out, receive, r).data, own.data, own.words);
    for (int i = 1; i < P; i++) {
        int dest = (r + i) % P, source = (r - i + P) % P;
        exchange(me, block_of(me, in, send, dest), dest, block_of(me, out, receive, source), source);
    }
}

static void
alltoall_shift_cost(struct closed *sum)
{
    for (int i = 1; i < sum->situation->nodes && sum->known; i++)
        closed_add_shift(sum, i, closed_words(sum));
}

const struct peal_algorithm alltoall_shift = {
    .collective   = PEAL_ALLTOALL,
    .name         = "shift",
    .summary      = "send to the node i ranks on, in round i",
    .run.alltoall = alltoall_shift_run,
    .cost         = alltoall_shift_cost,
    .texts        = shifts_texts,
    .optimal      = "β; on a line too",
    .lists        = 2,
    .source       = "Grama et al. 2003, sections 4.5 and 4.6; MPICH, pairwise",
};
