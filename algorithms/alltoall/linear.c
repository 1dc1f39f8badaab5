/* SPDX-License-Identifier: MIT */
/* All-to-all, linear: post all sends and receives at once, and wait.
 *
 *   before       node i has P blocks, block j for node j
 *   after        node j has P blocks, block i from node i
 *   rounds       ⌈(P-1)/k⌉ with k ports, where the ports allow it; 1 with a port for each link of a full network
 *   cost         those rounds, α + βm each on a full network; with one port that of `shift`
 *   space        none; 2(P-1) requests
 *   derivation   all are posted before the first round, in the order of `shift`; sends are admitted by their number,
 *                then by rank, so first all shifts by 1, then, if ports are left, all by 2, ..: k shifts a round
 *   source       Open MPI, basic linear; MPICH, scattered
 *
 *   P = 5, 2 ports
 *     round 1    r -> r+1    r -> r+2
 *     round 2    r -> r+3    r -> r+4                                                                        */
#include "../catalog.h"

static void
alltoall_linear_run(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                    const struct peal_blocks *receive)
{
    int P = peal_size(me), r = peal_rank(me);
    struct peal_piece own = block_of(me, in, send, r);

    peal_packet(me, blocks_longest(me, send));
    block_copy(me, block_of(me, out, receive, r).data, own.data, own.words);
    for (int i = 1; i < P; i++) {
        int dest = (r + i) % P, source = (r - i + P) % P;

        post_send(me, block_of(me, in, send, dest), dest);
        post_recv(me, block_of(me, out, receive, source), source);
    }
    peal_wait_all(me);
}

static void
alltoall_linear_cost(struct closed *sum)
{
    int P = sum->situation->nodes, k = closed_ports(sum->situation);

    if (sum->situation->half_duplex ||
        (sum->situation->ports == PEAL_PORTS_ALL && sum->shape.kind != SHAPE_FULL && P > 2))
        sum->known = false;
    if (k > 1)
        closed_add_full(sum, (P - 1 + k - 1) / k, closed_words(sum));
    for (int i = 1; i < P && k == 1 && sum->known; i++)
        closed_add_shift(sum, i, closed_words(sum));
}

const struct peal_algorithm alltoall_linear = {
    .collective   = PEAL_ALLTOALL,
    .name         = "linear",
    .summary      = "post everything at once, and wait",
    .run.alltoall = alltoall_linear_run,
    .cost         = alltoall_linear_cost,
    .texts        = alltoall_linear_texts,
    .optimal      = "β",
    .lists        = 40,
    .source       = "Open MPI, basic linear; MPICH, scattered",
};
