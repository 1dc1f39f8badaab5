/* SPDX-License-Identifier: MIT */
/* Scatter, k-port: the tree in which a node sends k messages a round, with the fewest rounds and the fewest words.
 *
 *   before       the root has P blocks of m words
 *   after        node i has block i
 *   rounds       ⌈log_{k+1} P⌉, k the ports of a node
 *   cost         α⌈log_{k+1} P⌉ + βm⌈(P-1)/k⌉, any P and k: Lemma 7, met with equality; k = 1 as scatter/binomial
 *   space        the blocks of its subtree at an inner node, none at a leaf
 *   derivation   kport.c
 *   source       the bound: Lemma 7 of P. Tvrdík's course; the lengths: by counting back from the last round
 *
 *   P = 6, k = 2, root 0
 *     round 1    0 -> 3 {3 4}      0 -> 5 {5}
 *     round 2    0 -> 1 {1}        0 -> 2 {2}     3 -> 4 {4}                                                */
#include "../patterns/binomial.h"
#include "../patterns/kport.h"

static void
scatter_k_port_run(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, k = peal_parameter(me) > 0 ? peal_parameter(me) : 1;
    struct bundle mine;
    struct kport kport;

    peal_packet(me, blocks_longest(me, blocks));
    kport_of(&kport, P, k, r);
    if (r == 0) {
        mine = bundle_of_root(me, in, blocks);
    } else {
        struct span all = span_from(root, P, r, kport.end);

        mine = bundle_with_room(me, all, blocks, out);
        bundle_recv(me, &mine, all, (kport.parent + root) % P);
    }
    for (int i = kport.begin; i < kport.rounds; i++) {
        const struct kport_round *round = &kport.round[i];

        for (int b = 0; b < round->bundles; b++) {
            struct span bundle = kport_bundle(round, root, P, b);

            bundle_post_send(me, &mine, bundle, (bundle.first + root) % P);
        }
        peal_wait_all(me);
        if (round->bundles == 0)
            peal_next_round(me);
    }
    if (r == 0)
        block_copy(me, out, block_of(me, in, blocks, root).data, peal_blocks_words(blocks, root));
}

static void
scatter_k_port_cost(struct closed *sum)
{
    int k = peal_algorithm_parameter(&scatter_k_port, sum->situation);

    if (kport_combines(sum->situation->nodes, k))
        closed_bundles(sum);
    kport_closed(sum, k);
}

const struct peal_algorithm scatter_k_port = {
    .collective  = PEAL_SCATTER,
    .name        = "k-port",
    .summary     = "k messages of a node a round: fewest rounds and fewest words",
    .run.scatter = scatter_k_port_run,
    .parameter   = {.name = "messages a node sends in a round", .least = 1, .choose = closed_ports},
    .asks_ports  = true,
    .cost        = scatter_k_port_cost,
    .posts       = PEAL_POSTS_ONE,
    .texts       = k_port_texts,
    .optimal     = "α, β",
    .source      = "Tvrdík, PDP course, Lemma 7, met by counting back from the last round",
};
