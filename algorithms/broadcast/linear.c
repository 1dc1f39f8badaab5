/* SPDX-License-Identifier: MIT */
/* Broadcast, linear: the root sends the whole vector to every node, one after the other.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       P-1
 *   cost         (P-1)(α + βn), any P
 *   space        none
 *   derivation   the root has one port out, so its P-1 messages take a round each; one message a round shares no link,
 *                and the hops are the sum of the distances from the root
 *   source       Open MPI's basic linear broadcast
 *
 *   P = 5, root 2
 *     round 1    2 -> 0
 *     round 2    2 -> 1
 *     round 3    2 -> 3
 *     round 4    2 -> 4                                                                                     */
#include "../catalog.h"

static void
broadcast_linear_run(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_rank(me) == root) {
        for (int i = 0; i < peal_size(me); i++)
            if (i != root)
                peal_send_async(me, a, n, i);
    } else {
        peal_recv_async(me, a, n, root);
    }
    peal_wait_all(me);
}

const struct peal_algorithm broadcast_linear = {
    .collective    = PEAL_BROADCAST,
    .name          = "linear",
    .summary       = "the root sends to every node, one after the other",
    .run.broadcast = broadcast_linear_run,
    .cost          = closed_add_linear,
    .posts         = PEAL_POSTS_MANY,
    .texts         = linear_vector_texts,
    .optimal       = NULL,
    .source        = "Open MPI, basic linear broadcast",
};
