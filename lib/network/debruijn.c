/* SPDX-License-Identifier: MIT */
/* debruijn: D^N nodes, which are the words of N digits below D; a wire between u and v where v is u shifted by one
 * digit, to either side, with a new digit put in.  A word that is its own shift (000) has no wire for it; two that are
 * each other's (0101 and 1010) share one. */
#include "lib/network/extents.h"
#include "lib/network/shortest.h"

/* The number of the wire from u to u·D + digit (mod P) is that sum before mod P; of a mutual pair's two numbers the one
 * from the lower rank counts.  So few numbers are left out: D for the loops, D(D-1)/2 for the pairs.
 *
 * source   Pradhan, Reddy: A fault-tolerant communication architecture for distributed systems, 1982 (both
 * directions) */

static uint64_t
debruijn_size(int digits, int length)
{
    uint64_t size = 1;

    for (; length > 0 && size <= INT_MAX && digits > 1; length--)
        size *= (uint64_t)digits;
    return size <= INT_MAX ? size : (uint64_t)INT_MAX + 1;
}

static enum peal_status
debruijn_refuse(const struct peal_network *network, uint64_t size, struct peal_error *error)
{
    struct fits fits = {0};

    for (int digits = 2; digits <= network->nodes / digits; digits++)
        for (int length = 2; debruijn_size(digits, length) <= (uint64_t)network->nodes; length++)
            if (debruijn_size(digits, length) == (uint64_t)network->nodes)
                fits_add(&fits, network, (int[]){digits, length}, 2);
    fits_add(&fits, network, (int[]){network->nodes, 1}, 2);
    return fits_refuse(&fits, network, size, error);
}

static enum peal_status
debruijn_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    uint64_t digits, size;

    if (!extents)
        return debruijn_refuse(network, 0, error);
    if (extents_read(network, extents, 2, 2, 1, error))
        return PEAL_USAGE;
    digits = (uint64_t)network->extent[0];
    size = debruijn_size(network->extent[0], network->extent[1]);
    if (size != (uint64_t)network->nodes)
        return debruijn_refuse(network, size, error);
    network->link_limit = 2 * size * digits;
    network->links = 2 * (size * digits - digits - digits * (digits - 1) / 2);
    network->diameter = digits == 1 ? 0 : network->extent[1]; /* from 00..0 to 11..1 */
    return PEAL_OK;
}

/* The digits of a rank side by side in fields of `bits` bits, the first digit in the highest. */
static uint64_t
debruijn_pack(int rank, int digits, int length, int bits)
{
    uint64_t fields = 0;

    if (digits == 1 << bits)
        return (uint64_t)rank;
    for (int i = 0; i < length; i++, rank /= digits)
        fields |= (uint64_t)(rank % digits) << i * bits;
    return fields;
}

/* Whether `count` neighbouring fields of `bits` bits are all 1, where each field is 0 or 1. */
static bool
has_run(uint64_t fields, int bits, int count)
{
    for (int run = 1, more; run < count; run += more) {
        more = run < count - run ? run : count - run;
        fields &= fields >> more * bits;
    }
    return fields != 0;
}

/* A window of N places slides over a tape; digits that leave it are lost, new digits are free.  It begins on the word
 * `from`, ends t places further on `to`, and in between was p places back from its beginning and q places ahead of it,
 * which takes 2(p + q) - |t| steps.  The places q .. N-p-1 never left it: there the words agree, shifted by t. So for
 * every t the longest run of m places that agree gives 2(N - m) - |t|.  All places are compared at once. */
static int
debruijn_distance(const struct peal_network *network, int from, int to)
{
    int digits = network->extent[0], length = network->extent[1], best = length;

    if (digits == 1 || from == to)
        return 0;
    int bits = 32 - __builtin_clz((unsigned)digits - 1); /* bits · length < 40 */
    uint64_t source = debruijn_pack(from, digits, length, bits), target = debruijn_pack(to, digits, length, bits);
    uint64_t lowest = 0; /* the lowest bit of every field */

    for (int i = 0; i < length; i++)
        lowest |= UINT64_C(1) << i * bits;
    for (int t = 1 - length; t < length; t++) {
        int moved = t > 0 ? t : -t, run = (2 * length - moved - best) / 2 + 1; /* the shortest improvement */

        if (run > length - moved)
            continue;
        uint64_t differ = source ^ (t > 0 ? target >> moved * bits : target << moved * bits), any = differ;
        uint64_t shared = t > 0 ? lowest >> moved * bits : lowest & lowest << moved * bits;

        for (int i = 1; i < bits; i++)
            any |= differ >> i;
        for (; has_run(~any & shared, bits, run); run++)
            best = 2 * (length - run) - moved;
    }
    return best;
}

/* The number of the wire between v and u, where v is u moved up by `digit`. */
static uint32_t
link_up(const struct peal_network *network, int u, int digit, int v)
{
    uint32_t digits = (uint32_t)network->extent[0], nodes = (uint32_t)network->nodes;
    bool each_other = (uint32_t)u == (uint32_t)((uint64_t)v * digits % nodes) + (uint32_t)u % digits;

    if (each_other && v < u)
        return 2 * ((uint32_t)v * digits + (uint32_t)u % digits) + 1;
    return 2 * ((uint32_t)u * digits + (uint32_t)digit);
}

/* Places: the D ranks of its upward shifts, a run, and the D of its downward shifts, P / D apart, merged. */
static bool
debruijn_neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    int digits = network->extent[0], run = network->nodes / digits;
    int up = (int)((int64_t)vertex * digits % network->nodes), down = vertex / digits;
    int next_up = 0, next_down = 0;

    if (digits == 1 || i == 2 * digits)
        return false;
    *step = (struct step){vertex, 0};
    for (;; i--) { /* merge the two ascending sequences */
        int above = next_up < digits ? up + next_up : INT_MAX;
        int below = next_down < digits ? down + next_down * run : INT_MAX;

        if (i == 0 && above <= below) {
            step->vertex = above;
            step->link = link_up(network, vertex, next_up, above);
            return true;
        }
        if (i == 0 && next_up > 0 && up + next_up - 1 == below)
            return true; /* a pair of mutual shifts: the same wire as the place before */
        if (i == 0) {
            step->vertex = below;
            step->link = link_up(network, below, vertex % digits, vertex) ^ 1;
            return true;
        }
        *(above <= below ? &next_up : &next_down) += 1;
    }
}

static const struct route_graph route_graph = {debruijn_neighbour, debruijn_distance};

static void
debruijn_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    uint32_t digits = (uint32_t)network->extent[0], wire = link / 2;
    int u = (int)(wire / digits), v = (int)(wire % (uint32_t)network->nodes);

    if (link_up(network, u, (int)(wire % digits), v) != 2 * wire)
        v = u; /* the unused number of the pair */
    *from = link % 2 ? v : u;
    *to = link % 2 ? u : v;
}

static int
debruijn_eccentricity(const struct peal_network *network, int source)
{
    int most = 0;

    for (int node = 0; node < network->nodes && most < network->diameter; node++) {
        int hops = debruijn_distance(network, source, node);

        most = hops > most ? hops : most;
    }
    return most;
}

static uint64_t
debruijn_node_count(const int *extent, int count)
{
    return count == 2 ? debruijn_size(extent[0], extent[1]) : 0;
}

const struct topology topology_debruijn = {
    .name = "debruijn",
    .form = "debruijn:DxN",
    .summary = "D^N nodes, a wire to the ranks moved by one digit up or down",
    .routings = shortest_routings,
    .create = debruijn_create,
    .nodes_of = debruijn_node_count,
    .distance = debruijn_distance,
    .route = shortest_own_route,
    .end_links = shortest_own_end_links,
    .ends = debruijn_ends,
    .eccentricity = debruijn_eccentricity,
    .route_graph = &route_graph,
};
