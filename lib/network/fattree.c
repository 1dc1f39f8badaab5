/* SPDX-License-Identifier: MIT */
/* fattree: the K-ary fat tree of switches with K ports each.  K pods, each of K/2 edge and K/2 aggregation switches;
 * every edge switch has K/2 hosts, which are the nodes, and a wire to every aggregation switch of its pod; the a-th
 * aggregation switch of every pod has wires to the a-th K/2 of the (K/2)² core switches. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"
#include <stdio.h>

/* Ranks and switches are numbered pod by pod: the hosts, the edge switches, the aggregation switches, the core.  So
 * are the wires of each of the three layers, all of K³/4 wires; link 0 leads upwards.
 *
 * "shortest" goes up by the lowest switch, as everywhere; all ways between two pods then meet in one core switch. 
 * "dmodk" chooses the ways up by the destination and spreads them (Zahavi 2012).
 *
 * source   Al-Fares, Loukissas, Vahdat: A scalable, commodity data center network architecture, 2008, section 3 */

enum { SHORTEST, DMODK };

static const char *const routings[] = {"shortest", "dmodk", NULL};

/* Half the ports of a switch: hosts per edge switch, edge switches per pod, aggregation switches per pod. */
static inline int
half(const struct peal_network *network)
{
    return network->extent[0] / 2;
}

static int
fattree_smallest(int nodes, int *k)
{
    for (*k = 2; (int64_t)*k * *k * *k / 4 < nodes; *k += 2)
        continue;
    return 1;
}

static enum peal_status
fattree_refuse(const struct peal_network *network, uint64_t size, struct peal_error *error)
{
    struct fits fits = {0};
    int k;
    char text[200];

    fattree_smallest(network->nodes, &k);
    if ((int64_t)k * k * k / 4 == network->nodes) {
        fits_add(&fits, network, &k, 1);
        return fits_refuse(&fits, network, size, error);
    }
    const long long less = k - 2;

    if (k > 2)
        snprintf(text, sizeof text, "%lld (fattree:%lld) or %lld (fattree:%d)", less * less * less / 4, less,
                 (long long)k * k * k / 4, k);
    else
        snprintf(text, sizeof text, "2 (fattree:2)");
    return peal_refuse(error, PEAL_USAGE, "%s does not fit %d node%s: a fat tree has K³/4, K even, so take %s",
                       size ? network->name : "fattree", network->nodes, network->nodes == 1 ? "" : "s", text);
}

static enum peal_status
fattree_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    int64_t k, size;
    char text[24];

    if (!extents) {
        int chosen;

        fattree_smallest(network->nodes, &chosen);
        snprintf(text, sizeof text, "%d", chosen);
        extents = text;
    }
    if (extents_read(network, extents, 1, 1, 2, error))
        return PEAL_USAGE;
    k = network->extent[0];
    if (k % 2)
        return peal_refuse(error, PEAL_USAGE,
                           "%s is not possible: a switch has an even number of ports, half of them down",
                           network->name);
    size = k > 4096 ? (int64_t)INT_MAX + 1 : k * k * k / 4;
    if (size != network->nodes)
        return fattree_refuse(network, (uint64_t)size, error);
    network->vertices = (int)(size + k * k + k * k / 4);
    network->links = 6 * (uint64_t)size;
    network->diameter = 6;
    network->bisection = (uint64_t)size / 2;
    return PEAL_OK;
}

/* How many layers up the way between two nodes leads: to their edge switch, their pod, the core. */
static inline int
layers(const struct peal_network *network, int from, int to)
{
    int m = half(network);

    return from / m == to / m ? 1 : from / (m * m) == to / (m * m) ? 2 : 3;
}

static int
fattree_distance(const struct peal_network *network, int from, int to)
{
    return 2 * layers(network, from, to);
}

static int
fattree_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    int m = half(network), top = layers(network, from, to);
    bool spread = network->routing == DMODK;
    int aggregation = spread ? to % m : 0, core = spread ? to / m % m : 0;
    int leaf[2] = {from, to};

    for (int side = 0; side < 2; side++) { /* up from `from`, down to `to` */
        int edge = leaf[side] / m, pod = edge / m;
        int wires[3] = {leaf[side], network->nodes + edge * m + aggregation,
                        2 * network->nodes + (pod * m + aggregation) * m + core};

        for (int layer = 0; layer < top; layer++)
            links[side ? 2 * top - 1 - layer : layer] = 2 * (uint32_t)wires[layer] + (uint32_t)side;
    }
    return 2 * top;
}

static void
fattree_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    int m = half(network), nodes = network->nodes, edges = 2 * m * m;
    int layer = (int)(link / 2 / (uint32_t)nodes), wire = (int)(link / 2 % (uint32_t)nodes);
    int low = 0, high = 0;

    if (layer == 0) {
        low = wire;
        high = nodes + wire / m;
    } else if (layer == 1) {
        low = nodes + wire / m;
        high = nodes + edges + wire / (m * m) * m + wire % m;
    } else {
        low = nodes + edges + wire / m;
        high = nodes + 2 * edges + wire % (m * m);
    }
    *from = link % 2 ? high : low;
    *to = link % 2 ? low : high;
}

/* ------------------------------------------------------------------ all ways */

/* Places: down before up, from the lowest. */
static bool
fattree_neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    int m = half(network), nodes = network->nodes, edges = 2 * m * m;
    int edge = vertex - nodes, aggregation = edge - edges, core = aggregation - edges;
    int next = 0, wire = 0;
    bool down = i < m;

    if (i >= (vertex < nodes ? 1 : 2 * m))
        return false;
    if (vertex < nodes) {
        next = nodes + vertex / m;
        wire = vertex;
        down = false;
    } else if (edge < edges) {
        next = down ? edge * m + i : nodes + edges + edge / m * m + i - m;
        wire = down ? next : nodes + edge * m + i - m;
    } else if (aggregation < edges) {
        int pod = aggregation / m, number = aggregation % m;

        next = down ? nodes + pod * m + i : nodes + 2 * edges + number * m + i - m;
        wire = down ? nodes + (pod * m + i) * m + number : 2 * nodes + aggregation * m + i - m;
    } else {
        int below = i * m + core / m;

        next = nodes + edges + below;
        wire = 2 * nodes + below * m + core % m;
        down = true;
    }
    *step = (struct step){next, 2 * (uint32_t)wire + down};
    return true;
}

static int
vertex_distance(const struct peal_network *network, int from, int to)
{
    int m = half(network), edges = 2 * m * m, edge = from - network->nodes, aggregation = edge - edges;

    if (from < network->nodes)
        return from == to ? 0 : fattree_distance(network, from, to);
    if (edge < edges)
        return edge == to / m ? 1 : edge / m == to / (m * m) ? 3 : 5;
    if (aggregation < edges)
        return aggregation / m == to / (m * m) ? 2 : 4;
    return 3;
}

static const struct route_graph route_graph = {fattree_neighbour, vertex_distance};

static uint64_t
fattree_node_count(const int *extent, int count)
{
    uint64_t k = (uint64_t)extent[0];

    if (count != 1 || k % 2)
        return 0;
    return k > 4096 ? UINT64_MAX : k * k * k / 4;
}

const struct topology topology_fattree = {
    .name = "fattree",
    .form = "fattree:K",
    .summary = "K³/4 nodes under three layers of K-port switches; dmodk spreads the upward routes",
    .routings = routings,
    .create = fattree_create,
    .nodes_of = fattree_node_count,
    .smallest = fattree_smallest,
    .spare = true,
    .distance = fattree_distance,
    .route = fattree_route,
    .end_links = wired_end_links,
    .ends = fattree_ends,
    .route_graph = &route_graph,
};
