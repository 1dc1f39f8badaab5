/* SPDX-License-Identifier: MIT */
/* dragonfly: A routers per group, P nodes per router, H global wires per router; A·H + 1 groups, as many as allow each
 * to reach all others.  Every two routers of a group share a wire.  The global wires of group g, router by router, lead
 * to the other groups in rising order, so that every two groups share one. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"
#include <stdio.h>
#include <string.h>

/* Ranks are numbered group by group, router by router; so are the routers, which are switches.  Wires: of the nodes
 * (link 0 leads to the router), of the groups' pairs of routers, of the pairs of groups (link 0 leads to the higher
 * one).
 *
 * source   Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology, 2008, section 3 */

/* The sizes, and the first numbers of each kind. */
struct sizes {
    int a, p, h, groups;
};

static inline struct sizes
sizes_of(const struct peal_network *network)
{
    const int *extent = network->extent;

    return (struct sizes){extent[0], extent[1], extent[2], extent[0] * extent[2] + 1};
}

/* ------------------------------------------------------------------ creating */

static uint64_t
dragonfly_node_count(const int *extent, int count)
{
    uint64_t nodes;

    if (count != 3)
        return 0;
    if (__builtin_mul_overflow((uint64_t)extent[0] * (uint64_t)extent[1], (uint64_t)extent[0] * (uint64_t)extent[2] + 1,
                               &nodes))
        return UINT64_MAX;
    return nodes;
}

/* A balanced one, A = 2P = 2H (Kim et al., section 3.1). */
static int
dragonfly_smallest(int nodes, int *extent)
{
    for (int h = 1;; h++) {
        memcpy(extent, (int[]){2 * h, h, h}, 3 * sizeof *extent);
        if (dragonfly_node_count(extent, 3) >= (uint64_t)nodes)
            return 3;
    }
}

static enum peal_status
dragonfly_refuse(const struct peal_network *network, uint64_t size, struct peal_error *error)
{
    struct fits fits = {0};
    int nodes = network->nodes;

    /* nodes = a · p · (a·h + 1): the more routers per group, the more it is a dragonfly */
    for (int a = 46340; a > 0; a--)
        for (int i = 1; nodes % a == 0 && i <= nodes / a / i; i++)
            for (int side = 0; nodes / a % i == 0 && side < 2; side++) {
                int groups = side ? i : nodes / a / i, p = nodes / a / groups;

                if (groups > 1 && (groups - 1) % a == 0 && (side == 0 || groups != p))
                    fits_add(&fits, network, (int[]){a, p, (groups - 1) / a}, 3);
            }
    if (fits.count == 0)
        return peal_refuse(error, PEAL_USAGE, "a dragonfly cannot have %d node: it has at least 2 groups", nodes);
    return fits_refuse(&fits, network, size, error);
}

static enum peal_status
dragonfly_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    uint64_t a, p, h, groups, routers, size;
    char text[40];

    if (!extents) {
        int chosen[3];

        dragonfly_smallest(network->nodes, chosen);
        snprintf(text, sizeof text, "%dx%dx%d", chosen[0], chosen[1], chosen[2]);
        extents = text;
    }
    if (extents_read(network, extents, 3, 3, 1, error))
        return PEAL_USAGE;
    a = (uint64_t)network->extent[0];
    p = (uint64_t)network->extent[1];
    h = (uint64_t)network->extent[2];
    groups = a * h + 1;
    routers = groups > INT_MAX ? groups : a * groups;
    size = routers > INT_MAX ? routers : p * routers;
    if (size > INT_MAX || size != (uint64_t)network->nodes)
        return dragonfly_refuse(network, size, error);
    if (size + routers > INT_MAX)
        return peal_refuse(error, PEAL_USAGE, "%s has more than %d nodes and routers: use fewer", network->name,
                           INT_MAX);
    network->vertices = (int)(size + routers);
    network->links = 2 * (size + groups * (a * (a - 1) / 2) + groups * (groups - 1) / 2);
    /* From the first router of the first group to the last one of the last group there are three wires: that between
     * the groups is at their other ends, and a third group has its wires to them at different routers, its first and
     * its last. */
    network->diameter = a > 1 ? 5 : 3;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ routers, numbered from 0 */

/* The router of `group` that has the wire to group `other`. */
static inline int
gate(struct sizes s, int group, int other)
{
    return group * s.a + (other - (other > group)) / s.h;
}

static inline bool
adjacent(struct sizes s, int u, int v)
{
    int group = u / s.a, other = v / s.a;

    return u != v && (group == other || (gate(s, group, other) == u && gate(s, other, group) == v));
}

/* The group that the i-th global wire of router u leads to. */
static inline int
group_at(struct sizes s, int u, int i)
{
    int port = u % s.a * s.h + i;

    return port + (port >= u / s.a);
}

static int
router_distance(struct sizes s, int u, int v)
{
    int group = u / s.a, other = v / s.a;

    if (u == v)
        return 0;
    if (adjacent(s, u, v))
        return 1;
    if (gate(s, group, other) == u || gate(s, other, group) == v)
        return 2;
    for (int i = 0; i < s.h; i++) { /* over a third group */
        int third = group_at(s, u, i);

        if (adjacent(s, gate(s, third, group), v))
            return 2;
    }
    return 3;
}

/* ------------------------------------------------------------------ wires */

/* The number of the pair low < high among all pairs of `count`, in the order (0,1), (0,2), .. (1,2), .. */
static inline uint32_t
pair_number(int count, int low, int high)
{
    return (uint32_t)((int64_t)low * (2 * count - low - 1) / 2 + high - low - 1);
}

static void
pair_at(int count, uint32_t number, int *low, int *high)
{
    int most = count - 1;

    *low = 0;
    while (most > *low + 1) { /* the greatest low whose pairs begin at or before the number */
        int middle = *low + (most - *low) / 2;

        if (pair_number(count, middle, middle + 1) <= number)
            *low = middle;
        else
            most = middle;
    }
    *high = *low + 1 + (int)(number - pair_number(count, *low, *low + 1));
}

static uint32_t
router_link(const struct peal_network *network, struct sizes s, int u, int v)
{
    int group = u / s.a, other = v / s.a;
    uint32_t wire = (uint32_t)network->nodes, pairs = pair_number(s.a, s.a - 1, s.a);

    if (group == other)
        wire += (uint32_t)group * pairs + pair_number(s.a, (u < v ? u : v) % s.a, (u < v ? v : u) % s.a);
    else
        wire += (uint32_t)s.groups * pairs +
                pair_number(s.groups, group < other ? group : other, group < other ? other : group);
    return 2 * wire + (u > v);
}

static void
dragonfly_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    struct sizes s = sizes_of(network);
    uint32_t wire = link / 2, pairs = pair_number(s.a, s.a - 1, s.a), nodes = (uint32_t)network->nodes;
    int low, high;

    if (wire < nodes) {
        low = (int)wire;
        high = network->nodes + (int)wire / s.p;
    } else if (wire - nodes < (uint32_t)s.groups * pairs) {
        int base = network->nodes + (int)((wire - nodes) / pairs) * s.a;

        pair_at(s.a, (wire - nodes) % pairs, &low, &high);
        low += base;
        high += base;
    } else {
        int group, other;

        pair_at(s.groups, wire - nodes - (uint32_t)s.groups * pairs, &group, &other);
        low = network->nodes + gate(s, group, other);
        high = network->nodes + gate(s, other, group);
    }
    *from = link % 2 ? high : low;
    *to = link % 2 ? low : high;
}

/* ------------------------------------------------------------------ routes */

static int
dragonfly_distance(const struct peal_network *network, int from, int to)
{
    struct sizes s = sizes_of(network);

    if (from == to)
        return 0;
    return from < network->nodes ? 2 + router_distance(s, from / s.p, to / s.p)
                                 : 1 + router_distance(s, from - network->nodes, to / s.p);
}

/* Places of a node: its router.  Of a router: its P nodes, the H global wires if they lead to lower groups, the A
 * routers of the group, the H if they lead to higher groups. */
static bool
dragonfly_neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    struct sizes s = sizes_of(network);
    int u = vertex - network->nodes, group = u / s.a, v = u;

    if (u < 0) {
        *step = (struct step){network->nodes + vertex / s.p, 2 * (uint32_t)vertex};
        return i == 0;
    }
    if (i < s.p) {
        *step = (struct step){u * s.p + i, 2 * (uint32_t)(u * s.p + i) + 1};
        return true;
    }
    i -= s.p;
    if (i == 2 * s.h + s.a)
        return false;
    if (i >= s.h && i < s.h + s.a) {
        v = group * s.a + i - s.h;
    } else {
        int other = group_at(s, u, i < s.h ? i : i - s.h - s.a);

        if ((other > group) == (i >= s.h))
            v = gate(s, other, group);
    }
    *step = (struct step){network->nodes + v, u == v ? 0 : router_link(network, s, u, v)};
    return true;
}

static const struct route_graph route_graph = {dragonfly_neighbour, dragonfly_distance};

static int
dragonfly_eccentricity(const struct peal_network *network, int source)
{
    struct sizes s = sizes_of(network);
    int most = 0;

    for (int v = 0; v < s.groups * s.a && 2 + most < network->diameter; v++) {
        int hops = router_distance(s, source / s.p, v);

        most = hops > most ? hops : most;
    }
    return 2 + most;
}

const struct topology topology_dragonfly = {
    .name = "dragonfly",
    .form = "dragonfly:AxPxH",
    .summary = "AH+1 groups of A routers, P nodes and H global wires per router",
    .routings = shortest_routings,
    .create = dragonfly_create,
    .nodes_of = dragonfly_node_count,
    .smallest = dragonfly_smallest,
    .spare = true,
    .distance = dragonfly_distance,
    .route = shortest_own_route,
    .end_links = wired_end_links,
    .ends = dragonfly_ends,
    .eccentricity = dragonfly_eccentricity,
    .route_graph = &route_graph,
};
