/* SPDX-License-Identifier: MIT */
/* Gather, k-port: scatter/k-port backwards: a node receives k messages a round.
 *
 *   before       node i has block i of m words
 *   after        the root has all P blocks
 *   rounds       ⌈log_{k+1} P⌉, k the ports of a node
 *   cost         α⌈log_{k+1} P⌉ + βm⌈(P-1)/k⌉, any P and k; k = 1 as gather/binomial
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   the messages of scatter/k-port, reversed in direction and in order
 *   source       the bound: Lemma 7 of P. Tvrdík's course, reversed
 *
 *   P = 6, k = 2, root 0
 *     round 1    1 -> 0 {1}        2 -> 0 {2}     4 -> 3 {4}
 *     round 2    3 -> 0 {3 4}      5 -> 0 {5}                                                               */
#include "../patterns/binomial.h"
#include "../patterns/kport.h"

static void
gather_k_port_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, k = peal_parameter(me) > 0 ? peal_parameter(me) : 1;
    struct bundle mine;
    struct kport kport;

    peal_packet(me, blocks_longest(me, blocks));
    kport_of(&kport, P, k, r);
    if (r == 0) {
        mine = bundle_of_root(me, out, blocks);
        block_copy(me, block_of(me, out, blocks, root).data, in, peal_blocks_words(blocks, root));
    } else {
        mine = bundle_with_room(me, span_from(root, P, r, kport.end), blocks, in);
    }
    for (int i = kport.rounds - 1; i >= kport.begin; i--) {
        const struct kport_round *round = &kport.round[i];

        for (int b = 0; b < round->bundles; b++) {
            struct span bundle = kport_bundle(round, root, P, b);

            bundle_post_recv(me, &mine, bundle, (bundle.first + root) % P);
        }
        peal_wait_all(me);
        if (round->bundles == 0)
            peal_next_round(me);
    }
    if (r != 0)
        bundle_send(me, &mine, mine.span, (kport.parent + root) % P);
}

const struct peal_algorithm gather_k_port = {
    .collective  = PEAL_GATHER,
    .name        = "k-port",
    .summary     = "scatter/k-port backwards, round by round",
    .run.gather  = gather_k_port_run,
    .parameter   = {.name = "messages a node receives in a round", .least = 1, .choose = closed_ports},
    .asks_ports  = true,
    .costs_as    = &scatter_k_port,
    .texts       = k_port_texts,
    .optimal     = "α, β",
    .source      = "Tvrdík, PDP course, Lemma 7, reversed",
};
