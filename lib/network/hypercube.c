/* SPDX-License-Identifier: MIT */
/* hypercube: 2^d nodes, a wire between ranks that differ in one bit.  Dimension i is bit i of the rank.  "ecube" goes
 * through the dimensions from the lowest to the highest, "reverse" from the highest, "shortest" to the lowest next
 * rank. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"
#include <stdio.h>

/* The wires of dimension i are numbered by the rank of their end without bit i, that bit taken out; dimensions follow
 * each other.  The link upwards leads from the end without the bit. */

enum { ECUBE, REVERSE, SHORTEST };

static const char *const routings[] = {"ecube", "reverse", "shortest", NULL};

static enum peal_status
refuse_nodes(const struct peal_network *network, const char *spec, struct peal_error *error)
{
    int dimensions = 0;

    while (dimensions < 30 && network->nodes >> (dimensions + 1))
        dimensions++;
    if (dimensions == 30)
        return peal_refuse(error, PEAL_USAGE,
                           "%s does not fit %d nodes: a hypercube has 2^d, so take %d (hypercube:%d)", spec,
                           network->nodes, 1 << dimensions, dimensions);
    return peal_refuse(error, PEAL_USAGE,
                       "%s does not fit %d nodes: a hypercube has 2^d, so take %d (hypercube:%d) or %d (hypercube:%d)",
                       spec, network->nodes, 1 << dimensions, dimensions, 1 << (dimensions + 1), dimensions + 1);
}

static enum peal_status
hypercube_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    int dimensions = network->nodes > 1 ? 31 - __builtin_clz((unsigned)network->nodes) : 0;
    bool power = network->nodes == 1 << dimensions;
    char spec[40] = "hypercube";

    if (extents) {
        int typed;

        if (extents_read(network, extents, 1, 1, 0, error))
            return PEAL_USAGE;
        typed = network->extent[0];
        snprintf(spec, sizeof spec, "hypercube:%d", typed);
        if (power && typed != dimensions && typed <= 30)
            return peal_refuse(error, PEAL_USAGE,
                               "%s has %d node%s, the machine has %d: use hypercube:%d, or %d node%s", spec, 1 << typed,
                               typed ? "s" : "", network->nodes, dimensions, 1 << typed, typed ? "s" : "");
        if (power && typed != dimensions)
            return peal_refuse(error, PEAL_USAGE,
                               "%s has more nodes than Peal can number, the machine has %d: use hypercube:%d", spec,
                               network->nodes, dimensions);
    }
    if (!power)
        return refuse_nodes(network, spec, error);
    network->dimensions = dimensions;
    for (int i = 0; i < dimensions; i++)
        network->extent[i] = 2;
    network->links = (uint64_t)network->nodes * (uint64_t)dimensions;
    network->diameter = dimensions;
    network->bisection = (uint64_t)network->nodes / 2;
    snprintf(network->name, sizeof network->name, "hypercube:%d", dimensions);
    return PEAL_OK;
}

static int
hypercube_distance(const struct peal_network *network, int from, int to)
{
    (void)network;
    return __builtin_popcount((unsigned)from ^ (unsigned)to);
}

static inline uint32_t
link_of(const struct peal_network *network, uint32_t node, int i)
{
    uint32_t below = (UINT32_C(1) << i) - 1;
    uint32_t wire = (node >> 1 & ~below) | (node & below);

    return (uint32_t)i * (uint32_t)network->nodes + 2 * wire + (node >> i & 1);
}

/* The dimension in which a route goes next, of those left.  The lowest next rank comes from clearing the highest bit to
 * be cleared, then from setting the lowest. */
static inline int
next_dimension(int routing, uint32_t node, uint32_t left)
{
    if (routing == REVERSE || (routing == SHORTEST && (node & left)))
        return 31 - __builtin_clz(routing == REVERSE ? left : node & left);
    return __builtin_ctz(left);
}

static int
hypercube_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    uint32_t node = (uint32_t)from, left = (uint32_t)from ^ (uint32_t)to;
    int hops = 0;

    while (left) {
        int i = next_dimension(network->routing, node, left);

        links[hops++] = link_of(network, node, i);
        node ^= UINT32_C(1) << i;
        left ^= UINT32_C(1) << i;
    }
    return hops;
}

/* The last hop is the first one of the way back in the opposite order; of the lowest way, the last bit set or, if
 * none is, the last one cleared. */
static void
hypercube_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    uint32_t left = (uint32_t)from ^ (uint32_t)to, set = left & (uint32_t)to;
    int i = next_dimension(network->routing, (uint32_t)from, left), final;

    if (network->routing == REVERSE || (network->routing == SHORTEST && !set))
        final = __builtin_ctz(left);
    else
        final = 31 - __builtin_clz(network->routing == SHORTEST ? set : left);
    *first = link_of(network, (uint32_t)from, i);
    *last = link_of(network, (uint32_t)to ^ UINT32_C(1) << final, final);
}

/* Places: the bits that can be cleared, from the highest, then those that can be set, from the lowest. */
static bool
hypercube_neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    int dimensions = network->dimensions;
    bool up = i >= dimensions;

    if (i == 2 * dimensions)
        return false;
    *step = (struct step){vertex, 0};
    i = up ? i - dimensions : dimensions - 1 - i;
    if ((vertex >> i & 1) != up)
        *step = (struct step){vertex ^ 1 << i, link_of(network, (uint32_t)vertex, i)};
    return true;
}

static const struct route_graph route_graph = {hypercube_neighbour, hypercube_distance};

static void
hypercube_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    uint32_t i = link / (uint32_t)network->nodes, bit = UINT32_C(1) << i;
    uint32_t wire = link % (uint32_t)network->nodes / 2;
    uint32_t low = (wire & ~(bit - 1)) << 1 | (wire & (bit - 1));
    bool up = link % 2 == 0;

    *from = (int)(up ? low : low | bit);
    *to = (int)(up ? low | bit : low);
}

static uint64_t
hypercube_node_count(const int *extent, int count)
{
    return count != 1 ? 0 : extent[0] < 31 ? UINT64_C(1) << extent[0] : UINT64_MAX;
}

static int
smallest(int nodes, int *extent)
{
    *extent = nodes > 1 ? 32 - __builtin_clz((unsigned)nodes - 1) : 0;
    return 1;
}

const struct topology topology_hypercube = {
    .name = "hypercube",
    .form = "hypercube:D",
    .summary = "2^D nodes, a wire between ranks that differ in one bit; ecube takes the lowest bit first",
    .routings = routings,
    .create = hypercube_create,
    .nodes_of = hypercube_node_count,
    .smallest = smallest,
    .distance = hypercube_distance,
    .route = hypercube_route,
    .end_links = hypercube_end_links,
    .ends = hypercube_ends,
    .route_graph = &route_graph,
};
