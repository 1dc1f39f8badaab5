/* SPDX-License-Identifier: MIT */
/* Walks minimal routes downhill by the topology's own distances. */
#include "lib/network/shortest.h"
#include <assert.h>
#include <string.h>

const char *const shortest_routings[] = {"shortest", NULL};

int
shortest_route(const struct peal_network *network, const struct route_graph *route_graph, int from, int to,
               uint32_t *links, uint32_t *first, uint32_t *last)
{
    int hops = 0, vertex = from;

    for (int left = route_graph->distance(network, from, to); left > 0; left--) {
        struct step step = {vertex, 0};
        int i = 0;
        bool found = shortest_step(network, route_graph, vertex, to, left - 1, &i, &step);

        assert(found);
        (void)found;
        if (links)
            links[hops] = step.link;
        if (hops++ == 0)
            *first = step.link;
        *last = step.link;
        vertex = step.vertex;
    }
    return hops;
}

int
shortest_own_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    uint32_t first, last;

    return shortest_route(network, network->topology->route_graph, from, to, links, &first, &last);
}

void
shortest_own_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    shortest_route(network, network->topology->route_graph, from, to, NULL, first, last);
}

void
wired_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    (void)network;
    *first = 2 * (uint32_t)from;
    *last = 2 * (uint32_t)to + 1;
}

int
shortest_routes(const struct peal_network *network, const struct route_graph *route_graph, int from, int to, int most,
                uint32_t *links, int *walk)
{
    int hops = route_graph->distance(network, from, to), count = 0, hop = 0;
    int *vertex = walk, *place = walk + hops; /* before each hop: the vertex, and the neighbours that were tried */

    vertex[0] = from;
    place[0] = 0;
    while (count < most && hop >= 0) {
        struct step step = {0};

        if (!shortest_step(network, route_graph, vertex[hop], to, hops - hop - 1, &place[hop], &step)) {
            hop--; /* all routes from here are done */
            continue;
        }
        links[hop] = step.link;
        if (++hop < hops) {
            vertex[hop] = step.vertex;
            place[hop] = 0;
            continue;
        }
        if (++count < most)
            memcpy(links + hops, links, (size_t)hops * sizeof *links);
        links += hops;
        hop--;
    }
    return count;
}
