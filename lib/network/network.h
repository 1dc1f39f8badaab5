/* SPDX-License-Identifier: MIT */
/* A network from inside: the data that a topology file fills in, and routes as link numbers.
 *
 * A vertex is a node (0 .. nodes-1) or a switch (nodes .. vertices-1).  Neighbours are joined by a wire, which is two
 * links, one per direction: wire w is the links 2w and 2w + 1.  Links are numbered almost without gaps, below
 * link_limit, so a load per link is an array.  Only if every ordered pair of nodes has a link of its own (full) there
 * are no numbers and no routes: private_links. */
#pragma once

#include <limits.h>
#include <peal/cost.h>
#include <peal/network.h>

struct route_graph; /* lib/network/shortest.h */

/* Links of a route that follow one another along one line of nodes.  Each link has a place: those of a line in one
 * direction follow one another in the order of its nodes, and after them is an unused number.  Downwards a
 * route goes from the last place of a stretch to the first. */
struct stretch {
    uint32_t first, count;
};

/* A kind of network: one file that fills one of these, and one line in topologies.def.  All but create and destroy only
 * read the network, in memory that does not grow with it; distance and routes in time that does not either. */
struct topology {
    const char *name;            /* "mesh" */
    const char *form;            /* "mesh:AxBx..": shown in lists and where a spec is wrong */
    const char *summary;         /* one line */
    const char *const *routings; /* names, the default first, NULL after the last */
    int fixed_nodes;             /* how many nodes it has, where that is always the same; 0 */
    int dimensions;              /* of a grid (grid.h): how many; 0: any number */
    bool closed;                 /* each of these is a ring */

    /* Fill in struct peal_network from network->nodes and the text after the colon (NULL: choose).
     *
     *   errors   PEAL_USAGE when they do not fit (with an alternative); PEAL_RESOURCES without memory */
    enum peal_status (*create)(struct peal_network *network, const char *extents, struct peal_error *error);
    /* Free network->own, which may be NULL, also after create has failed.  NULL: nothing to free. */
    void (*destroy)(struct peal_network *network);
    /* The number of nodes that the numbers after the colon make; 0 when they are invalid, any number above INT_MAX when
     * they are too many.  NULL: their product. */
    uint64_t (*nodes_of)(const int *extent, int count);
    /* The number of nodes of a text that is not numbers.  NULL: it is numbers. */
    uint64_t (*size)(const char *text);
    /* Give the extents of the smallest network of at least `nodes` nodes, and return how many; 0 where there is none.
     * NULL: without numbers it takes any number of nodes, or none. */
    int (*smallest)(int nodes, int *extent);
    bool spare; /* without numbers it is that smallest one, even without a placement: its first hosts have the nodes */

    /* In all of these from != to.  With private_links, only distance and eccentricity exist. */
    int (*distance)(const struct peal_network *network, int from, int to);
    /* The links of the route in order, into links[0 .. distance); returns the distance. */
    int (*route)(const struct peal_network *network, int from, int to, uint32_t *links);
    /* The routes of transfers[0 .. count) as long as each is one link: the links into links, 1 into hops.  Returns how
     * many; the next one may be one link long, too.  NULL: no faster way than route. */
    size_t (*steps)(const struct peal_network *network, struct peal_transfer *transfers, size_t count, uint32_t *links);
    /* The route as stretches, into stretches[0 .. 2·dimensions); returns how many.  NULL: the network has no lines. */
    int (*stretches)(const struct peal_network *network, int from, int to, struct stretch *stretches);
    /* Its first and its last link. */
    void (*end_links)(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last);
    /* The vertices a link leads from and to; some vertex twice for a number that no link has. */
    void (*ends)(const struct peal_network *network, uint32_t link, int *from, int *to);
    /* NULL: the diameter, from every node. */
    int (*eccentricity)(const struct peal_network *network, int source);
    /* The capacity of the link between two neighbours.  NULL: all have 1. */
    uint32_t (*capacity)(const struct peal_network *network, int from, int to);
    /* Neighbours and distances, from which the minimal routes follow; NULL: every two nodes have only one. */
    const struct route_graph *route_graph;
};

struct peal_network {
    /* set before create */
    const struct topology *topology;
    int nodes;
    int routing; /* index into topology->routings */
    bool best;   /* --routing best: a round's routes are chosen together (lib/cost/best.h); routing is the default, 0 */

    /* filled in by create */
    int vertices; /* nodes and switches; create may leave it when there are no switches */
    int dimensions;
    int extent[PEAL_MAX_DIMENSIONS]; /* the first is the slowest */
    bool private_links;
    uint64_t links;      /* their number */
    uint64_t link_limit; /* above every number; create may leave it when there are no gaps */
    uint64_t places;     /* of links on lines of nodes; 0: this routing does not go along them */
    int diameter;
    uint64_t bisection;
    const uint32_t *capacity; /* of each wire; NULL: 1 */
    char name[PATH_MAX + 8];  /* "mesh:3x4", "file:" and a path */
    void *own;                /* the topology's */

    /* nodes that are placed (placed.c) */
    struct peal_placement *placement; /* NULL: node i is host i */
    char *placed_name;                /* "mesh:3x4@2:block"; NULL: name */
    struct peal_network *inner;       /* of the hosts; NULL: node i is host i, or each could be any */
    const int *host;                  /* of each node, where there is an inner network; NULL */
    int *vertex, *inside;             /* there: of each vertex of the inner network, and back; of a node its host */
};

extern const struct topology *const topologies[]; /* NULL after the last */

/* The topology whose name is the first `length` bytes of a text; NULL: none. */
const struct topology *topology_named(const char *name, size_t length);

/* Create a network without a placement.
 *
 *   owner    peal_network_destroy
 *   errors   as peal_network_create */
struct peal_network *network_create(const char *spec, int nodes, const char *routing, struct peal_error *error);

/* The network whose topology has routes and distances, and the node of it that a node is. */
static inline const struct peal_network *
network_hosts(const struct peal_network *network)
{
    return network->inner ? network->inner : network;
}

static inline int
network_host(const struct peal_network *network, int node)
{
    return network->host ? network->host[node] : node;
}

/* Whether several nodes are all on one host. */
static inline bool
network_is_one_host(const struct peal_network *network)
{
    return network->inner && network->nodes > 1 && network->placement->used == 1;
}

/* The vertex that a node is on paths. */
static inline int
network_vertex(const struct peal_network *network, int node)
{
    return network->host ? network->vertex[network->host[node]] : node;
}

/* Write the links of the route into links, at most network->diameter of them; returns how many, 0 to oneself.  With
 * `best` it is the first minimal route in the order of their vertices.  Not for private_links. */
int network_route(const struct peal_network *network, int from, int to, uint32_t *links);

/* The route of the topology's own routing, also with `best`. */
static inline int
network_own_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    return from == to ? 0 : network->topology->route(network, from, to, links);
}

/* Give the first and the last link of the route as numbers that are unique in the network, also with private_links
 * (from·P + to).  from != to. */
void network_end_links(const struct peal_network *network, int from, int to, uint64_t *first, uint64_t *last);

/* The capacity of a link: that many parallel wires, over which a round's messages are spread evenly. */
static inline uint32_t
network_capacity(const struct peal_network *network, uint64_t link)
{
    return network->capacity ? network->capacity[link / 2] : 1;
}

/* The share of a load that each wire of a link of this capacity carries. */
static inline uint64_t
network_share(uint64_t load, uint32_t capacity)
{
    return capacity == 1 ? load : load / capacity + (load % capacity != 0);
}

/* The opposite direction of the same wire. */
uint64_t network_reverse_link(const struct peal_network *network, uint64_t link);
