/* SPDX-License-Identifier: MIT */
/* Coordinates, routes and wire numbers of grids. */
#include "lib/network/grid.h"
#include "lib/network/extents.h"
#include "lib/network/shortest.h"
#include <stdlib.h>

/* The coordinate at which a wire begins owns it: with extent e, 0 .. e-2 own one each in an open dimension, 0 .. e-1 in
 * a closed one.  A closed dimension of two nodes has one wire and is treated as open.  The wires of a dimension are
 * numbered in the order of their owners' ranks, the dimensions follow each other, so no number is left out.  Along a
 * line of nodes in one dimension the numbers of the links are an arithmetic sequence: a route is one or two such
 * sequences per dimension. */

const char *const grid_routings[] = {"xy", "yx", "shortest", NULL};

struct dimension {
    int extent;
    int owners;          /* extent, or extent - 1: how many coordinates own a wire */
    uint32_t stride;     /* ranks between neighbours */
    uint32_t unowned;    /* stride · (extent - owners) */
    uint64_t per_stride; /* reciprocals of stride and of stride · extent: see divide */
    uint64_t per_block;
    uint32_t first_link;
    uint32_t links;
    uint32_t first_place; /* each line has owners + 1 up, and as many down */
};

struct grid_network {
    int dimensions;
    struct dimension dimension[]; /* the first is the slowest */
};

/* ------------------------------------------------------------------ coordinates */

static inline int
grid_min(int a, int b)
{
    return a < b ? a : b;
}

/* ⌊2^63 / divisor⌋ + 1 instead of the divisor: the quotient is exact while numerator · divisor < 2^63, and takes one
 * multiplication where a division takes ten times as long. */
static uint64_t
reciprocal(uint64_t divisor)
{
    return (UINT64_C(1) << 63) / divisor + 1;
}

static inline int
divide(int numerator, uint64_t per)
{
    return (int)(((unsigned __int128)per * (unsigned)numerator) >> 63);
}

/* The index of the rank's line of nodes: the rank without this dimension and faster ones. */
static inline int
dimension_block(const struct dimension *d, int rank)
{
    return divide(rank, d->per_block);
}

static inline int
dimension_coordinate(const struct dimension *d, int rank)
{
    return divide(rank, d->per_stride) - dimension_block(d, rank) * d->extent;
}

/* The hops from coordinate a to b, negative when they go down: the shorter way round, upwards when both are as long. */
static inline int
hops_between(const struct dimension *d, int a, int b)
{
    int hops = b - a;

    if (d->owners == d->extent) {
        hops += hops < 0 ? d->extent : 0;
        hops -= 2 * (int64_t)hops > d->extent ? d->extent : 0;
    }
    return hops;
}

/* ------------------------------------------------------------------ legs: what a route does in one dimension */

/* `before` links from `first` on, then, after the wrap, the others from `wrapped` on, each `step` from the previous
 * one. */
struct leg {
    int hops, before;
    uint32_t first, wrapped, step;
};

/* The leg of a route from `node` to the coordinate of `to` in dimension d.  Moves the node there. */
static inline struct leg
leg_of(const struct dimension *d, int *node, int to)
{
    int a = dimension_coordinate(d, *node), b = dimension_coordinate(d, to), hops = hops_between(d, a, b);
    uint32_t origin = (uint32_t)*node - (uint32_t)a * d->stride, step = 2 * d->stride;
    uint32_t line =
        d->first_link + 2 * (origin - (uint32_t)dimension_block(d, *node) * d->unowned); /* up from coordinate 0 */

    *node += (b - a) * (int)d->stride;
    if (hops >= 0) /* the links of the owners a .. extent-1, then 0 .. */
        return (struct leg){hops, grid_min(hops, d->extent - a), line + (uint32_t)a * step, line, step};
    /* the opposite links of the owners a-1 .. 0, then extent-1 .. */
    return (struct leg){-hops, grid_min(-hops, a), line + (uint32_t)(a - 1) * step + 1,
                        line + (uint32_t)(d->extent - 1) * step + 1, -step};
}

/* The dimension that a route goes through as the i-th. */
static inline const struct dimension *
dimension_at(const struct peal_network *network, int i)
{
    const struct grid_network *grid = network->own;

    return &grid->dimension[network->routing == GRID_LAST_FIRST ? grid->dimensions - 1 - i : i];
}

static inline uint32_t *
sequence(uint32_t *links, uint32_t link, uint32_t step, int count)
{
    for (int i = 0; i < count; i++, link += step)
        links[i] = link;
    return links + count;
}

int
grid_distance(const struct peal_network *network, int from, int to)
{
    const struct grid_network *grid = network->own;
    int sum = 0;

    for (int i = 0; i < grid->dimensions; i++) {
        const struct dimension *d = &grid->dimension[i];

        sum += abs(hops_between(d, dimension_coordinate(d, from), dimension_coordinate(d, to)));
    }
    return sum;
}

/* ------------------------------------------------------------------ the lowest next rank */

/* Places: two per dimension down in rank, from the slowest dimension to the fastest (round the corner from the last
 * coordinate, then to the one below), and two upwards, back from the fastest (to the one above, round the corner). */
static bool
grid_neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    const struct grid_network *grid = network->own;
    int dimensions = grid->dimensions, side = i / 2;
    bool up_in_rank = side >= dimensions, round = up_in_rank == (i % 2 == 1);

    if (side >= 2 * dimensions)
        return false;
    const struct dimension *d = &grid->dimension[up_in_rank ? 2 * dimensions - 1 - side : side];
    int c = dimension_coordinate(d, vertex), to = up_in_rank ? (round ? d->extent - 1 : c + 1) : (round ? 0 : c - 1);

    *step = (struct step){vertex, 0};
    if (round ? d->owners < d->extent || c != (up_in_rank ? 0 : d->extent - 1) : to < 0 || to == d->extent)
        return true;
    step->vertex = vertex + (to - c) * (int)d->stride;
    bool owned = up_in_rank != round; /* the wire is the vertex's own, the link leads upwards */
    int owner = owned ? vertex : step->vertex;

    step->link = d->first_link + 2 * ((uint32_t)owner - (uint32_t)dimension_block(d, owner) * d->unowned) + !owned;
    return true;
}

const struct route_graph grid_route_graph = {grid_neighbour, grid_distance};

/* ------------------------------------------------------------------ routes */

/* Nodes begin .. begin + count - 1, of which each has the neighbour `apart` ranks on (or back, below 0) over link base
 * + 2·rank. */
struct lane {
    int apart;
    uint32_t begin, count, base;
};

static inline bool
lane_has_wire(struct lane lane, int from, int to)
{
    return to - from == lane.apart && (uint32_t)from - lane.begin < lane.count;
}

/* The lane that leads from one to the other, if they are neighbours and not round a corner; {0} if not. */
static inline struct lane
find_lane(const struct grid_network *grid, int from, int to)
{
    int apart = abs(to - from);

    for (const struct dimension *d = grid->dimension + grid->dimensions; d-- > grid->dimension;) {
        if ((int)d->stride != apart)
            continue;
        int block = dimension_block(d, from);

        if (block == dimension_block(d, to)) { /* the line of nodes is the same, too */
            uint32_t first = (uint32_t)block * d->stride * (uint32_t)d->extent;
            uint32_t up = d->first_link - 2 * (uint32_t)block * d->unowned;

            return (struct lane){to - from, to > from ? first : first + d->stride,
                                 d->stride * (uint32_t)(d->extent - 1), to > from ? up : up - 2 * d->stride + 1};
        }
    }
    return (struct lane){0};
}

/* Consecutive transfers are often on one lane. */
size_t
grid_steps(const struct peal_network *network, struct peal_transfer *transfers, size_t count, uint32_t *links)
{
    struct lane lane = {0};
    size_t i = 0;

    for (; i < count; i++) {
        int from = transfers[i].from, to = transfers[i].to;

        if (!lane_has_wire(lane, from, to)) {
            lane = find_lane(network->own, from, to);
            if (!lane_has_wire(lane, from, to))
                break;
        }
        links[i] = lane.base + 2 * (uint32_t)from;
        transfers[i].hops = 1;
    }
    return i;
}

/* Through the dimensions one after the other. */
static int
grid_walk(const struct peal_network *network, int from, int to, uint32_t *links)
{
    uint32_t *end = links;

    for (int i = 0, node = from; node != to; i++) {
        struct leg leg = leg_of(dimension_at(network, i), &node, to);

        end = sequence(end, leg.first, leg.step, leg.before);
        end = sequence(end, leg.wrapped, leg.step, leg.hops - leg.before);
    }
    return (int)(end - links);
}

int
grid_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    uint32_t first, last;

    if (network->routing == GRID_SHORTEST)
        return shortest_route(network, &grid_route_graph, from, to, links, &first, &last);
    return grid_walk(network, from, to, links);
}

int
grid_stretches(const struct peal_network *network, int from, int to, struct stretch *stretches)
{
    struct stretch *end = stretches;

    for (int i = 0, node = from; node != to; i++) {
        const struct dimension *d = dimension_at(network, i);
        int block = dimension_block(d, node), whole = divide(node, d->per_stride), a = whole - block * d->extent;
        int b = dimension_coordinate(d, to), hops = hops_between(d, a, b), stride = (int)d->stride;
        uint32_t line = (uint32_t)(node - (whole - block) * stride); /* its number in this dimension */
        uint32_t origin = d->first_place + (2 * line + (hops < 0)) * (uint32_t)(d->owners + 1);
        int count = abs(hops), before = grid_min(count, hops >= 0 ? d->extent - a : a), wrapped = count - before;

        node += (b - a) * stride;
        if (before > 0)
            *end++ = (struct stretch){origin + (uint32_t)(hops >= 0 ? a : a - before), (uint32_t)before};
        if (wrapped > 0)
            *end++ = (struct stretch){origin + (uint32_t)(hops >= 0 ? 0 : d->extent - wrapped), (uint32_t)wrapped};
    }
    return (int)(end - stretches);
}

void
grid_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    bool started = false;

    if (network->routing == GRID_SHORTEST) {
        shortest_route(network, &grid_route_graph, from, to, NULL, first, last);
        return;
    }
    for (int i = 0, node = from; node != to; i++) {
        struct leg leg = leg_of(dimension_at(network, i), &node, to);
        int wrapped = leg.hops - leg.before;

        if (leg.hops == 0)
            continue;
        if (!started)
            *first = leg.before ? leg.first : leg.wrapped;
        *last = wrapped ? leg.wrapped + (uint32_t)(wrapped - 1) * leg.step
                        : leg.first + (uint32_t)(leg.before - 1) * leg.step;
        started = true;
    }
}

void
grid_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    const struct grid_network *grid = network->own;
    const struct dimension *d = grid->dimension;

    while (link - d->first_link >= d->links)
        d++;
    uint32_t wire = (link - d->first_link) / 2;
    int owner = (int)(wire + wire / (d->stride * (uint32_t)d->owners) * d->unowned);
    int c = dimension_coordinate(d, owner);
    int next = owner + (c == d->extent - 1 ? -c : 1) * (int)d->stride;
    bool up = link % 2 == 0;

    *from = up ? owner : next;
    *to = up ? next : owner;
}

int
grid_eccentricity(const struct peal_network *network, int source)
{
    const struct grid_network *grid = network->own;
    int sum = 0;

    for (int i = 0; i < grid->dimensions; i++) {
        const struct dimension *d = &grid->dimension[i];
        int c = dimension_coordinate(d, source);

        sum += d->owners == d->extent ? d->extent / 2 : c > d->extent - 1 - c ? c : d->extent - 1 - c;
    }
    return sum;
}

/* ------------------------------------------------------------------ creating */

/* Cut across the longest dimension: one wire per line, two if it is closed; when it is odd, its middle layer is cut in
 * half in the same way.  No cut is narrower: Azizoğlu and Eğecioğlu, The bisection width and the isoperimetric number
 * of arrays, 2004; of rings Arjona Aroca and Fernández Anta, Bisection (band)width of product networks, 2012.
 *
 * A pair of closed dimensions of two nodes is a ring of four, so such a dimension counts as 4 long and takes one wire.
 * When the longest is even this is the counting bound of Leighton: ⌊P/2⌋⌈P/2⌉ pairs lie across a cut, no link serves
 * more than P·longest/8 of all pairs.  That bound, rounded up, also proves 2 x odd.  The rest, an odd ring the longest
 * of three or more dimensions with an odd number of twos, is reported as unknown. */
static uint64_t
bisection(const struct peal_network *network, bool closed)
{
    int length[PEAL_MAX_DIMENSIONS], twos = 0, others = 0;
    uint64_t nodes = (uint64_t)network->nodes, cut = 0;

    for (int i = 0; i < network->dimensions; i++) {
        length[i] = closed && network->extent[i] == 2 ? 4 : network->extent[i];
        twos += length[i] > network->extent[i];
        others += network->extent[i] > 2;
    }
    for (;;) {
        int longest = 0;

        for (int i = 1; i < network->dimensions; i++)
            longest = length[i] > length[longest] ? i : longest;
        if (length[longest] == 1)
            return cut;
        if (length[longest] % 2 && twos % 2 && twos + others > 2)
            return 0;
        nodes /= (uint64_t)network->extent[longest];
        cut += closed && network->extent[longest] > 2 ? 2 * nodes : nodes;
        if (length[longest] % 2 == 0)
            return cut;
        length[longest] = 1;
    }
}

enum peal_status
grid_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    enum peal_status status = extents_of_grid(network, extents, network->topology->dimensions, error);
    bool closed = network->topology->closed;
    uint64_t places = 0;
    struct grid_network *grid;

    if (status)
        return status;
    grid = malloc(sizeof *grid + (size_t)network->dimensions * sizeof *grid->dimension);
    if (!grid)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a network");
    network->own = grid;
    grid->dimensions = network->dimensions;
    for (int i = network->dimensions - 1, stride = 1; i >= 0; i--) {
        int extent = network->extent[i];
        int owners = closed && extent > 2 ? extent : extent - 1;
        int block = stride * extent;

        grid->dimension[i] = (struct dimension){
            .extent = extent,
            .owners = owners,
            .stride = (uint32_t)stride,
            .unowned = (uint32_t)stride * (uint32_t)(extent - owners),
            .per_stride = reciprocal((uint64_t)stride),
            .per_block = reciprocal((uint64_t)block),
            .first_link = (uint32_t)network->links,
            .first_place = (uint32_t)places,
            .links = (uint32_t)(network->nodes / extent) * 2 * (uint32_t)owners,
        };
        network->links += (uint64_t)(network->nodes / extent) * 2 * (uint64_t)owners;
        places += (uint64_t)(network->nodes / extent) * 2 * ((uint64_t)owners + 1);
        network->diameter += owners == extent ? extent / 2 : extent - 1;
        stride = block;
    }
    network->bisection = bisection(network, closed);
    network->places = network->routing == GRID_SHORTEST || places > UINT32_MAX ? 0 : places;
    return PEAL_OK;
}

void
grid_destroy(struct peal_network *network)
{
    free(network->own);
}
