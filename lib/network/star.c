/* SPDX-License-Identifier: MIT */
/* star: node 0 is the centre, every other node has one wire, to it.  Node i's is wire i - 1, its link 0 leads
 * outwards. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"

static enum peal_status
star_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    uint64_t nodes = (uint64_t)network->nodes;

    network->links = 2 * (nodes - 1);
    network->diameter = nodes > 2 ? 2 : nodes > 1;
    network->bisection = nodes / 2; /* the half without the centre */
    return extents_of_grid(network, extents, 1, error);
}

static int
star_distance(const struct peal_network *network, int from, int to)
{
    (void)network;
    return from == 0 || to == 0 ? 1 : 2;
}

static uint32_t
outwards(int node)
{
    return 2 * (uint32_t)(node - 1);
}

static void
star_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    (void)network;
    *first = from ? outwards(from) + 1 : outwards(to);
    *last = to ? outwards(to) : outwards(from) + 1;
}

static int
star_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    int hops = star_distance(network, from, to);

    star_end_links(network, from, to, &links[0], &links[hops - 1]);
    return hops;
}

static void
star_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    int node = (int)(link / 2) + 1;

    (void)network;
    *from = link % 2 ? node : 0;
    *to = link % 2 ? 0 : node;
}

static int
star_eccentricity(const struct peal_network *network, int source)
{
    return source ? network->diameter : network->nodes > 1;
}

const struct topology topology_star = {
    .name = "star",
    .form = "star:P",
    .summary = "node 0 in the centre, a wire from it to every other node",
    .routings = shortest_routings,
    .create = star_create,
    .distance = star_distance,
    .route = star_route,
    .end_links = star_end_links,
    .ends = star_ends,
    .eccentricity = star_eccentricity,
};
