/* SPDX-License-Identifier: MIT */
/* Multicast, linear: the root sends to every node of the list, one after the other.
 *
 *   before       the root has n words
 *   after        the nodes of the list have them
 *   rounds       D, the nodes of the list beside the root
 *   cost         D(α + βn)
 *   space        none
 *   derivation   one message a round: it shares no link
 *   source       the definition
 *
 *   Root 2, to 0 3 5
 *     round 1    2 -> 0
 *     round 2    2 -> 3
 *     round 3    2 -> 5                                                                                      */
#include "../catalog.h"

static void
multicast_linear_run(struct peal_node *me, void *a, size_t n, int root, const int *to, int count)
{
    for (int i = 0; i < count; i++) {
        int dest = to == NULL ? i : to[i];

        if (dest == root)
            continue;
        if (peal_rank(me) == root)
            peal_send_async(me, a, n, dest);
        else if (peal_rank(me) == dest)
            peal_recv_async(me, a, n, root);
    }
    peal_wait_all(me);
}

static void
multicast_linear_cost(struct closed *sum)
{
    for (int i = 0; i < sum->situation->to_count && sum->known; i++) {
        int dest = sum->situation->to == NULL ? i : sum->situation->to[i], hops = 0;

        for (int d = 0; d < sum->shape.dimensions; d++)
            hops += shape_hops(&sum->shape, d, shape_coordinate(&sum->shape, d, sum->situation->root),
                               shape_coordinate(&sum->shape, d, dest));
        if (dest != sum->situation->root)
            closed_add_same(sum, 1, closed_words(sum), sum->shape.kind == SHAPE_FULL ? 1 : hops);
    }
}

const struct peal_algorithm multicast_linear = {
    .collective    = PEAL_MULTICAST,
    .name          = "linear",
    .summary       = "the root sends to every node of the list, one after the other",
    .run.multicast = multicast_linear_run,
    .cost          = multicast_linear_cost,
    .posts         = PEAL_POSTS_MANY,
    .texts         = TEXTS(
        {.on = "full", .alpha = "αD", .beta = "βnD", .near = true, .names = "D = receivers"},
        {.alpha = "αD", .beta = "βnD", .names = "D = receivers"}),
    .source        = "the definition",
};
