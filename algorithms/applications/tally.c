/* SPDX-License-Identifier: MIT */
/* Adding up closed forms, from the cost of a round's pattern on each network.  Nothing here looks at a run. */
#include "kit.h"
#include <string.h>

/* ------------------------------------------------------------------ lines of a grid in a network */

/* Drop extents of 1; returns how many are left. */
static int
without_ones(const int *extents, int dimensions, int *left)
{
    int count = 0;

    for (int d = 0; d < dimensions; d++)
        if (extents[d] > 1)
            left[count++] = extents[d];
    return count;
}

/* On lines, rings, meshes and tori the grid must be the network's own; then a line of it is one of the network's, which
 * the messages inside it never leave.  On a hypercube extents that are powers of two make each line a subcube. */
enum way
way_of(const struct peal_problem *problem, const int *extents, int dimensions, int d)
{
    const struct peal_network *network = problem->machine.network;
    const char *kind = network == NULL ? "full" : peal_network_kind(network);
    int theirs[PEAL_MAX_DIMENSIONS], mine[PEAL_MAX_DIMENSIONS], count;
    bool open = strcmp(kind, "line") == 0 || strcmp(kind, "mesh") == 0;

    if (strcmp(kind, "full") == 0 || extents[d] == 1)
        return WAY_FULL;
    if (strcmp(kind, "hypercube") == 0) {
        for (int i = 0; i < dimensions; i++)
            if ((extents[i] & (extents[i] - 1)) != 0)
                return WAY_UNKNOWN;
        return WAY_CUBE;
    }
    if (!open && strcmp(kind, "ring") != 0 && strcmp(kind, "torus") != 0)
        return WAY_UNKNOWN;
    count = peal_network_extents(network, theirs);
    count = without_ones(theirs, count, theirs);
    if (without_ones(extents, dimensions, mine) != count || memcmp(mine, theirs, (size_t)count * sizeof *mine) != 0)
        return WAY_UNKNOWN;
    return open ? WAY_LINE : WAY_RING;
}

enum way
way_of_all(const struct peal_problem *problem)
{
    return way_of(problem, &problem->machine.nodes, 1, 0);
}

/* On a line min(by, P-by) messages pass over the middle, in either direction, and each message passes over a link of
 * those; the others come back P-by.  On a ring all go the shorter way (half way round: upwards), that many on every
 * link.  A cyclic shift on a hypercube shares no link under e-cube; its farthest flips the most bits. */
void
way_shift(enum way way, int nodes, int by, size_t *k, size_t *hops)
{
    int fewer = by < nodes - by ? by : nodes - by;
    int most = 0;

    *k = way == WAY_LINE || way == WAY_RING ? (size_t)fewer : 1;
    *hops = way == WAY_LINE ? (size_t)(nodes - fewer) : way == WAY_RING ? (size_t)fewer : 1;
    if (way != WAY_CUBE)
        return;
    for (int r = 0; r < nodes; r++) {
        int flipped = __builtin_popcount((unsigned)(r ^ (r + by) % nodes));
        most = flipped > most ? flipped : most;
    }
    *hops = (size_t)most;
}

/* r with r ^ bit, wherever that is below P.  Full, hypercube: one hop of their own.  On a line the messages of 2·bit
 * nodes in a row all pass over their middle; of the last row, if it is cut short, P-bit do.  A ring is a line then, or,
 * beyond half way round, goes the other way as many hops as there are messages.  In a mesh or torus of powers of two
 * the bit is one of one coordinate.  (Half way round all go up, so each link of the ring is shared by as many as there
 * are hops.) */
bool
flip_of(const struct peal_problem *problem, int bit, size_t *k, size_t *hops)
{
    int P = problem->machine.nodes, extents[PEAL_MAX_DIMENSIONS], dimensions, stride = 1;
    enum way way = way_of_all(problem);
    size_t fewer = (size_t)(bit < P - bit ? bit : P - bit);

    *k = way == WAY_FULL || way == WAY_CUBE ? 1 : fewer;
    *hops = way == WAY_LINE ? (size_t)bit : *k;
    if (way != WAY_UNKNOWN)
        return true;

    dimensions = peal_network_extents(problem->machine.network, extents);
    for (int d = 0; d < dimensions; d++)
        if ((extents[d] & (extents[d] - 1)) != 0)
            return false;
    if (strcmp(peal_network_kind(problem->machine.network), "mesh") != 0
        && strcmp(peal_network_kind(problem->machine.network), "torus") != 0)
        return false;
    for (int d = dimensions - 1; d >= 0 && bit >= stride * extents[d]; d--)
        stride *= extents[d];
    *k = *hops = (size_t)(bit / stride);
    return true;
}

/* ------------------------------------------------------------------ sums */

struct tally
tally_of(const struct peal_problem *problem, bool even)
{
    const struct peal_situation *machine = &problem->machine;

    return (struct tally){.problem = problem,
                          .known = !machine->eager && machine->ports == 1 && !machine->half_duplex
                                   && (machine->network == NULL
                                       || strcmp(peal_network_routing(machine->network), "best") != 0),
                          .even = even};
}

/* *total += a · b */
static void
add(struct tally *tally, int64_t *total, size_t a, size_t b)
{
    int64_t product;

    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(*total, product, total))
        tally->known = false;
}

void
tally_rounds(struct tally *tally, size_t rounds, size_t load, size_t k, size_t hops)
{
    const struct peal_situation *machine = &tally->problem->machine;

    add(tally, &tally->cost.alpha, rounds, 1);
    switch (machine->switching) {
    case PEAL_IDEAL:
        add(tally, &tally->cost.beta, rounds, load);
        break;
    case PEAL_WORMHOLE:
        add(tally, &tally->cost.beta, rounds, load);
        add(tally, &tally->cost.hop, rounds, hops);
        break;
    case PEAL_STORE_FORWARD:
        /* the messages on each link of a route are not counted here, nor which of unequal ones goes far */
        tally->known = tally->known && !__builtin_mul_overflow(load, hops, &load);
        add(tally, &tally->cost.beta, rounds, load);
        tally->known = tally->known && (hops == 1 || (k == 1 && tally->even));
        break;
    }
    if (machine->congestion == PEAL_VOLUME && k > 1 && !tally->even)
        tally->known = false;
}

void
tally_shift(struct tally *tally, enum way way, int nodes, int by, size_t words)
{
    size_t k, hops;

    if (nodes == 1 || by % nodes == 0)
        return;
    way_shift(way, nodes, by % nodes, &k, &hops);
    tally->known = tally->known && way != WAY_UNKNOWN;
    tally_rounds(tally, 1, words * k, k, hops);
}

void
tally_next(struct tally *tally, size_t rounds, enum way way, int nodes, size_t words)
{
    if (nodes == 1)
        return;
    tally->known = tally->known && way != WAY_UNKNOWN;
    tally_rounds(tally, rounds, words, 1, way == WAY_CUBE ? (size_t)log2_up((size_t)nodes) : 1);
}

/* The pattern r -> r+1 without its way round the end shares no link on any of these (see closed.c), and likewise
 * backwards: in a mesh or torus a message that changes rows is the only one that goes against its row, and along that
 * column. */
void
tally_chain(struct tally *tally, size_t rounds, size_t words)
{
    static const char *const kinds[] = {"full", "line", "ring", "mesh", "torus", "hypercube", NULL};
    const struct peal_network *network = tally->problem->machine.network;
    int P = tally->problem->machine.nodes, farthest = 1, i = 0;

    while (network != NULL && kinds[i] != NULL && strcmp(kinds[i], peal_network_kind(network)) != 0)
        i++;
    tally->known = tally->known && kinds[i] != NULL;
    for (int r = 0; r + 1 < P && network != NULL; r++) {
        int hops = peal_network_distance(network, r, r + 1);
        farthest = hops > farthest ? hops : farthest;
    }
    if (P > 1)
        tally_rounds(tally, rounds, words, 1, (size_t)farthest);
}

void
tally_alltoall(struct tally *tally, size_t (*words)(const struct peal_problem *problem, int from, int to))
{
    const struct peal_problem *problem = tally->problem;
    int P = problem->machine.nodes;
    enum way way = way_of_all(problem);

    for (int i = 1; i < P && tally->known; i++) {
        size_t longest = 0;

        for (int r = 0; r < P; r++)
            longest = larger(longest, words(problem, r, (r + i) % P));
        tally_shift(tally, way, P, i, longest);
    }
}

static void
add_collective(struct tally *tally, struct peal_situation situation, const char *algorithm)
{
    const struct peal_algorithm *known = peal_algorithm_find(situation.collective, algorithm);
    struct peal_cost cost;

    if (!tally->known || known == NULL || !peal_algorithm_cost(known, &situation, &cost))
        tally->known = false;
    else
        tally->cost = peal_cost_add(tally->cost, cost);
}

void
tally_lines(struct tally *tally, enum way way, int nodes, enum peal_collective collective, const char *algorithm,
            size_t words, int root)
{
    static const char *const kinds[] = {[WAY_UNKNOWN] = "full",
                                        [WAY_FULL] = "full",
                                        [WAY_LINE] = "line",
                                        [WAY_RING] = "ring",
                                        [WAY_CUBE] = "hypercube"};
    struct peal_situation situation = tally->problem->machine;
    struct peal_network *network;

    if (nodes == 1)
        return;
    tally->known = tally->known && way != WAY_UNKNOWN;
    network = tally->known ? peal_network_create(kinds[way], nodes, NULL, NULL) : NULL;
    tally->known = network != NULL;
    situation.collective = collective;
    situation.nodes = nodes;
    situation.words = words;
    situation.root = root;
    situation.network = network;
    add_collective(tally, situation, algorithm);
    peal_network_destroy(network);
}

void
tally_all(struct tally *tally, enum peal_collective collective, const char *algorithm, size_t words, int root)
{
    struct peal_situation situation = tally->problem->machine;

    situation.collective = collective;
    situation.words = words;
    situation.root = root;
    add_collective(tally, situation, algorithm);
}

void
tally_compute(struct tally *tally, size_t operations)
{
    add(tally, &tally->cost.tau, operations, 1);
}

bool
tally_end(const struct tally *tally, struct peal_cost *cost)
{
    if (tally->known)
        *cost = tally->cost;
    return tally->known;
}
