/* SPDX-License-Identifier: MIT */
/* The row of multicast: the nodes of a list get the root's vector; the others keep theirs. */
#include "lib/collective/fronts.h"

static bool
multicast_has_rank(const int *ranks, int count, int rank)
{
    for (int i = 0; i < count && ranks != NULL; i++)
        if (ranks[i] == rank)
            return true;
    return ranks == NULL;
}

static void
multicast_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    bool gets = rank == layout->root || multicast_has_rank(layout->to, layout->to_count, rank);
    int from = gets ? layout->root : rank;

    (void)part;
    *origin = (struct peal_origin){.first = from, .last = from, .words = layout->words, .kept = !gets};
}

RUNS(multicast, me, x->out, x->words, x->root, x->to, x->to_count);

static int
multicast_demand_hops(const struct peal_situation *situation)
{
    int farthest = 0;

    for (int i = 0; i < situation->to_count; i++) {
        int to = situation->to == NULL ? i : situation->to[i];
        int hops = peal_network_distance(situation->network, situation->root, to);

        farthest = hops > farthest ? hops : farthest;
    }
    return farthest;
}

static void
multicast_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    int64_t words = (int64_t)situation->words;
    int nodes = situation->to_count + 1; /* with the root, which may be in the list */

    for (int i = 0; i < situation->to_count; i++)
        if ((situation->to == NULL ? i : situation->to[i]) == situation->root)
            nodes--;
    *demand = (struct peal_demand){.reached = nodes,
                                   .node_words = words,
                                   .one_node = true,
                                   .total_words = (nodes - 1) * words,
                                   .share = situation->nodes,
                                   .hops = multicast_demand_hops,
                                   .source = "Tvrdík, PDP course, Lemma 5"};
}

const struct peal_form multicast_form = {
    .name = "multicast",
    .done = "are right: those of the list hold the vector",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .root = true,
    .to = true,
    .from_root = true,
    .origin = multicast_origin,
    .run = run,
    .call = call,
    .demand = multicast_demand,
};

FRONT(peal_multicast_at, multicast_form, (void *a, size_t n, int root, const int *to, int count), .out = a, .words = n,
      .root = root, .to = to, .to_count = count);
