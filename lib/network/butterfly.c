/* SPDX-License-Identifier: MIT */
/* butterfly: D + 1 levels of 2^D rows, all of them nodes, ranks level by level.  Node (level, row) has a straight
 * wire to (level + 1, row) and a cross wire to (level + 1, row with bit D-1-level flipped).
 *
 * Wires are numbered by their upper end, straight before cross; link 0 leads to the higher level. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"

/* source   Leighton, Introduction to Parallel Algorithms and Architectures, 1992, section 3.2.1 */

enum { MAX_DIMENSIONS = 25 }; /* 26 · 2^25 nodes */

static int
butterfly_size(int dimensions)
{
    return (dimensions + 1) << dimensions;
}

static enum peal_status
butterfly_refuse(const struct peal_network *network, uint64_t size, struct peal_error *error)
{
    struct fits fits = {0};
    int above = 0;

    while (above < MAX_DIMENSIONS && butterfly_size(above) < network->nodes)
        above++;
    if (butterfly_size(above) == network->nodes) {
        fits_add(&fits, network, &above, 1);
        return fits_refuse(&fits, network, size, error);
    }
    if (butterfly_size(above) < network->nodes)
        return peal_refuse(error, PEAL_USAGE,
                           "%s does not fit %d nodes: a butterfly has (D+1)·2^D, so take %d (butterfly:%d)",
                           size ? network->name : "butterfly", network->nodes, butterfly_size(above), above);
    return peal_refuse(
        error, PEAL_USAGE,
        "%s does not fit %d nodes: a butterfly has (D+1)·2^D, so take %d (butterfly:%d) or %d (butterfly:%d)",
        size ? network->name : "butterfly", network->nodes, butterfly_size(above - 1), above - 1, butterfly_size(above),
        above);
}

static enum peal_status
butterfly_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    int dimensions = 0;

    if (extents) {
        if (extents_read(network, extents, 1, 1, 0, error))
            return PEAL_USAGE;
        dimensions = network->extent[0];
        if (dimensions > MAX_DIMENSIONS)
            return butterfly_refuse(network, (uint64_t)INT_MAX + 1, error);
    } else {
        while (dimensions < MAX_DIMENSIONS && butterfly_size(dimensions) < network->nodes)
            dimensions++;
    }
    if (butterfly_size(dimensions) != network->nodes)
        return butterfly_refuse(network, extents ? (uint64_t)butterfly_size(dimensions) : 0, error);
    network->dimensions = 1;
    network->extent[0] = dimensions;
    extents_name(network);
    network->links = 4 * (uint64_t)dimensions << dimensions;
    network->diameter = 2 * dimensions;
    return PEAL_OK;
}

static inline int
max(int a, int b)
{
    return a > b ? a : b;
}

static inline int
butterfly_min(int a, int b)
{
    return a < b ? a : b;
}

/* The shortest walk over the levels from a to b that touches lowest and highest. */
static inline int
butterfly_level_walk(int a, int b, int lowest, int highest)
{
    int low = butterfly_min(butterfly_min(a, b), lowest), high = max(max(a, b), highest);

    return high - low + butterfly_min(a - low + high - b, high - a + b - low);
}

/* A bit is corrected by the cross wire between its two levels, which the route must therefore pass. */
static int
butterfly_distance(const struct peal_network *network, int from, int to)
{
    int dimensions = network->extent[0];
    int a = from >> dimensions, b = to >> dimensions;
    unsigned wrong = (unsigned)(from ^ to) & ((1u << dimensions) - 1);

    if (wrong == 0)
        return a > b ? a - b : b - a;
    return butterfly_level_walk(a, b, dimensions - 1 - (31 - __builtin_clz(wrong)), dimensions - __builtin_ctz(wrong));
}

/* Places: the lower two rows a level up, then the two a level down, each pair with the lower row first. */
static bool
butterfly_neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    int dimensions = network->extent[0], rows = 1 << dimensions;
    int level = vertex >> dimensions, row = vertex & (rows - 1);
    bool down = i >= 2;
    int upper = down ? level : level - 1; /* the level the wire hangs from */

    if (i == 4)
        return false;
    *step = (struct step){vertex, 0};
    if (upper < 0 || upper == dimensions)
        return true;
    int bit = 1 << (dimensions - 1 - upper);
    int next = i % 2 ? row | bit : row & ~bit;
    int hangs = upper << dimensions | (down ? row : next);

    step->vertex = (down ? level + 1 : level - 1) << dimensions | next;
    step->link = 2 * (2 * (uint32_t)hangs + (next != row)) + !down;
    return true;
}

static const struct route_graph route_graph = {butterfly_neighbour, butterfly_distance};

static void
butterfly_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    int dimensions = network->extent[0];
    int upper = (int)(link / 4), level = upper >> dimensions;
    int lower = upper + (1 << dimensions);

    if (link / 2 % 2)
        lower ^= 1 << (dimensions - 1 - level);
    *from = link % 2 ? lower : upper;
    *to = link % 2 ? upper : lower;
}

static int
butterfly_eccentricity(const struct peal_network *network, int source)
{
    int dimensions = network->extent[0], most = 0;

    for (int level = 0; level <= dimensions; level++)
        most = max(most, butterfly_level_walk(source >> dimensions, level, 0, dimensions));
    return most;
}

static uint64_t
butterfly_node_count(const int *extent, int count)
{
    if (count != 1)
        return 0;
    return extent[0] > MAX_DIMENSIONS ? UINT64_MAX : (uint64_t)butterfly_size(extent[0]);
}

const struct topology topology_butterfly = {
    .name = "butterfly",
    .form = "butterfly:D",
    .summary = "D+1 levels of 2^D nodes, a straight and a cross wire down from each",
    .routings = shortest_routings,
    .create = butterfly_create,
    .nodes_of = butterfly_node_count,
    .distance = butterfly_distance,
    .route = shortest_own_route,
    .end_links = shortest_own_end_links,
    .ends = butterfly_ends,
    .eccentricity = butterfly_eccentricity,
    .route_graph = &route_graph,
};
