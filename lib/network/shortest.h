/* SPDX-License-Identifier: MIT */
/* Minimal routes: the shortest paths by hops.  No search is made: the topology knows distances, and a route goes
 * downhill.  "shortest" is the first of them in the order of their vertices, at each vertex to the lowest next one. */
#pragma once

#include "lib/network/network.h"

/* A neighbour and the link to it. */
struct step {
    int vertex;
    uint32_t link;
};

/* What a topology must provide. */
struct route_graph {
    /* Give the neighbour in place i, 0, 1, ..; false when there are no more places.  They rise with i; a place
     * without a neighbour gives the vertex itself. */
    bool (*neighbour)(const struct peal_network *network, int vertex, int i, struct step *step);
    /* The hops from a vertex to a node, 0 from one to itself. */
    int (*distance)(const struct peal_network *network, int from, int to);
};

/* Make the route: its links into links[] unless that is NULL, its first and last link; returns the hops.  from != to.
 * */
int shortest_route(const struct peal_network *network, const struct route_graph *route_graph, int from, int to,
                   uint32_t *links, uint32_t *first, uint32_t *last);

/* `route` and `end_links` of topologies with a route graph. */
int shortest_own_route(const struct peal_network *network, int from, int to, uint32_t *links);
void shortest_own_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last);

/* `end_links` of a topology where node i has one wire, wire i, whose link 2i leads away from it. */
void wired_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last);

/* Make the minimal routes in the order of their vertices, at most `most` of them: the links of each after those of the
 * previous one, each as many as the distance; returns the number of routes.  from != to.
 *
 *   shape    most · distance links; walk has 2 · distance entries, for the search alone */
int shortest_routes(const struct peal_network *network, const struct route_graph *route_graph, int from, int to,
                    int most, uint32_t *links, int *walk);

/* Give the next neighbour of the vertex, from place *i on, that is `left` hops from `to`, and move *i after it; false
 * when there is none. */
static inline bool
shortest_step(const struct peal_network *network, const struct route_graph *route_graph, int vertex, int to, int left,
              int *i, struct step *step)
{
    while (route_graph->neighbour(network, vertex, (*i)++, step))
        if (step->vertex != vertex && route_graph->distance(network, step->vertex, to) == left)
            return true;
    return false;
}

extern const char *const shortest_routings[]; /* "shortest" alone */
