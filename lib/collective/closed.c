/* SPDX-License-Identifier: MIT */
/* The arithmetic of closed forms, and the patterns that several algorithms share.  Nothing here reads a run. */
#include "lib/collective/closed.h"
#include "lib/collective/closed_row.h"
#include "lib/network/network.h"
#include <string.h>

/* ------------------------------------------------------------------ sums */

/* Place nodes that share hosts.  All on one host are a full network without hops.  With equally many on each host of a
 * regular network, in block or cyclic order, rounds are counted on `hosts`. */
static void
closed_place(struct closed *sum)
{
    const struct peal_situation *situation = sum->situation;
    const struct peal_placement *placement =
        situation->network && situation->network->inner ? peal_network_placement(situation->network) : NULL;

    if (placement == NULL || !placement->shared || situation->ports == PEAL_PORTS_ALL)
        return;
    sum->one_host = network_is_one_host(situation->network);
    if (sum->one_host) {
        sum->shape = (struct shape){.kind = SHAPE_FULL, .nodes = situation->nodes};
    } else if ((int64_t)placement->hosts * placement->per_host == situation->nodes &&
               (strcmp(placement->order, "block") == 0 || strcmp(placement->order, "cyclic") == 0)) {
        shape_of(&sum->hosts, network_hosts(situation->network), placement->hosts);
        sum->per_host = sum->hosts.kind == SHAPE_OTHER ? 0 : placement->per_host;
        sum->cyclic = *placement->order == 'c';
    }
}

/* Whether the ports leave the schedule unchanged from one port of each kind. */
static bool
ports_allow(const struct peal_situation *situation, enum peal_posts posts)
{
    int ports = situation->ports;

    switch (posts) {
    case PEAL_POSTS_ONE:
        return !(situation->half_duplex && ports == PEAL_PORTS_ALL);
    case PEAL_POSTS_EXCHANGE:
        return !situation->half_duplex || ports >= 2;
    case PEAL_POSTS_MANY:
        return ports == 1;
    }
    return false;
}

int
closed_ports(const struct peal_situation *situation)
{
    int others = situation->nodes > 2 ? situation->nodes - 1 : 1;
    struct shape shape;

    if (situation->ports == PEAL_PORTS_ALL) {
        shape_of(&shape, situation->network, situation->nodes);
        return shape.kind == SHAPE_FULL ? others : 1;
    }
    return situation->ports < others ? situation->ports : others;
}

/* From here on the sum is unknown; `too_large`: because it does not fit in 64 bits. */
static void
closed_give_up(struct closed *sum, bool too_large)
{
    sum->too_large |= sum->known && too_large;
    sum->known = false;
}

struct closed
closed_of(const struct peal_situation *situation, enum peal_posts posts)
{
    struct closed sum = {.situation = situation};

    shape_of(&sum.shape, situation->network, situation->nodes);
    closed_place(&sum);
    sum.known = !situation->eager && ports_allow(situation, posts) && !situation->unequal &&
                (sum.shape.kind != SHAPE_OTHER || sum.per_host > 1) &&
                (situation->network == NULL || strcmp(peal_network_routing(situation->network), "best") != 0);
    if ((uint64_t)situation->words > INT64_MAX)
        closed_give_up(&sum, true);
    return sum;
}

int64_t
closed_product(struct closed *sum, int64_t a, int64_t b)
{
    int64_t product;

    if (!__builtin_mul_overflow(a, b, &product))
        return product;
    closed_give_up(sum, true);
    return 0;
}

static void
closed_total_add(struct closed *sum, int64_t *total, int64_t value)
{
    if (__builtin_add_overflow(*total, value, total))
        closed_give_up(sum, true);
}

int64_t
closed_words(struct closed *sum)
{
    return sum->known ? (int64_t)sum->situation->words : 0;
}

/* On one host a message goes no hops; otherwise it is charged as if it went one. */
static void
rounds_add(struct closed *sum, int64_t rounds, int64_t words, int64_t hops, int64_t word_hops)
{
    enum peal_switching switching = sum->situation->switching;

    if (sum->one_host) {
        hops = 0;
        word_hops = words;
    }
    closed_total_add(sum, &sum->cost.alpha, rounds);
    closed_total_add(sum, &sum->cost.beta,
                     closed_product(sum, rounds, switching == PEAL_STORE_FORWARD ? word_hops : words));
    if (switching == PEAL_WORMHOLE)
        closed_total_add(sum, &sum->cost.hop, closed_product(sum, rounds, hops));
}

/* No link is shared, so counting by messages and by words gives the same.  Unknown where hosts have several nodes,
 * which share the links of their host. */
void
closed_add(struct closed *sum, int64_t rounds, int64_t words, int64_t hops, int64_t word_hops)
{
    if (sum->per_host > 0 && rounds > 0)
        sum->known = false;
    rounds_add(sum, rounds, words, hops, word_hops);
}

void
closed_add_same(struct closed *sum, int64_t rounds, int64_t words, int64_t hops)
{
    closed_add(sum, rounds, words, hops, closed_product(sum, words, hops));
}

void
closed_add_at_most(struct closed *sum, int64_t rounds, int64_t load)
{
    const struct peal_network *network = sum->situation->network;
    int diameter = network == NULL ? 1 : peal_network_diameter(network);

    closed_add(sum, 1, load, closed_product(sum, rounds, diameter), closed_product(sum, load, diameter));
    closed_total_add(sum, &sum->cost.alpha, rounds - 1);
}

bool
closed_end(const struct closed *sum, struct peal_cost *cost)
{
    if (sum->known)
        *cost = sum->cost;
    else if (sum->too_large)
        *cost = (struct peal_cost){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    return sum->known;
}

bool
peal_algorithm_cost(const struct peal_algorithm *algorithm, const struct peal_situation *situation,
                    struct peal_cost *cost)
{
    const struct peal_algorithm *priced = algorithm->costs_as != NULL ? algorithm->costs_as : algorithm;

    *cost = (struct peal_cost){0};
    if (priced->cost == NULL)
        return false;
    struct closed sum = closed_of(situation, priced->posts);

    if (priced->asks_network && (sum.one_host || sum.per_host > 0))
        sum.known = false;
    priced->cost(&sum);
    return closed_end(&sum, cost);
}

const char *
peal_closed_form_missing(const struct peal_algorithm *algorithm, const struct peal_situation *situation)
{
    const struct peal_algorithm *priced = algorithm->costs_as != NULL ? algorithm->costs_as : algorithm;
    const struct peal_network *network = situation->network;
    const struct peal_placement *placement = network && network->inner ? peal_network_placement(network) : NULL;
    struct closed sum = closed_of(situation, priced->posts);
    struct shape hosts;

    shape_of(&hosts, network ? network_hosts(network) : NULL, situation->nodes);
    if (priced->cost == NULL)
        return "none: the algorithm comes without one";
    if (situation->eager)
        return "none: derived for rendezvous delivery";
    if (situation->unequal)
        return "none: derived for blocks of one length";
    if (network && strcmp(peal_network_routing(network), "best") == 0)
        return "none: derived for fixed routes";
    if (!ports_allow(situation, priced->posts))
        return priced->posts == PEAL_POSTS_MANY ? "none: derived for one port" : "none: derived for full duplex";
    if (hosts.kind == SHAPE_OTHER)
        return "none: derived for full networks, lines, rings, meshes, tori and hypercubes";
    if (placement && placement->shared && situation->ports == PEAL_PORTS_ALL)
        return "none: derived for a number of ports where nodes share a host";
    if (placement && !sum.one_host && sum.per_host == 0)
        return "none: derived where all hosts have equally many nodes, in block or cyclic order";
    priced->cost(&sum);
    return sum.too_large  ? "none: its numbers do not fit in 64 bits"
           : sum.per_host ? "none: not derived for this algorithm where nodes share a host, with these numbers"
                          : "none: not derived for this algorithm on this network, with these numbers";
}

void
closed_add_phase(struct closed *sum, const struct peal_algorithm *algorithm, size_t words, int root)
{
    struct peal_situation phase = *sum->situation;
    struct peal_cost cost;

    phase.collective = algorithm->collective;
    phase.words = words;
    phase.root = root;
    if (!sum->known || !peal_algorithm_cost(algorithm, &phase, &cost)) {
        closed_give_up(sum, sum->known && !peal_cost_counted(cost));
        return;
    }
    closed_total_add(sum, &sum->cost.alpha, cost.alpha);
    closed_total_add(sum, &sum->cost.beta, cost.beta);
    closed_total_add(sum, &sum->cost.hop, cost.hop);
}

int
closed_parameter(const struct peal_situation *situation, int (*choose)(const struct peal_situation *situation))
{
    return situation->parameter > 0 ? situation->parameter : choose(situation);
}

/* ------------------------------------------------------------------ patterns */

/* From rank r to r+1, all nodes at once.  If t faster dimensions are at their ends, they go back to 0, and the next one
 * takes a step up (from the last rank all go back).
 *   No link is shared.  Routed by dimension order, a message that goes back along dimension j has, in the dimensions
 *   before j, coordinates that identify it (its sender's, or its receiver's in the other order), and extreme ones
 *   behind: at most one message goes back along each line of nodes, and each step up is made by the one message that
 *   has its coordinates.  Rings and tori: going back is one step up over the end, so each message makes single steps
 *   on links of its own.  Hypercubes: two messages on one link of dimension i have equal bits above i, and below it
 *   equal bits after adding 1, hence the same sender.
 * The farthest is the one that goes back in every dimension. */
static int
ring_hops(const struct shape *shape)
{
    int hops = 0;

    if (shape->kind == SHAPE_FULL)
        return 1;
    for (int d = 0; d < shape->dimensions; d++)
        hops += shape_hops(shape, d, shape->extent[d] - 1, 0);
    return hops;
}

/* In block order only the last node of a host sends to the next; in cyclic order all do. */
void
closed_add_ring_rounds(struct closed *sum, int64_t rounds, int64_t words)
{
    int64_t k = sum->cyclic ? sum->per_host : 1, shared = closed_product(sum, words, k);
    int hops = ring_hops(sum->per_host > 0 ? &sum->hosts : &sum->shape);

    if (k > 1 && sum->situation->congestion == PEAL_VOLUME)
        sum->known = false;
    rounds_add(sum, rounds, shared, hops, closed_product(sum, shared, hops));
}

void
closed_add_ring(struct closed *sum, int64_t n)
{
    int64_t nodes = sum->situation->nodes, longest = n / nodes + (n % nodes != 0);
    int hops = ring_hops(sum->per_host > 0 ? &sum->hosts : &sum->shape);

    if (nodes == 1)
        return;
    /* The longest part changes from round to round, the farthest message does not: with unequal parts the product is
     * not derived. */
    if (n % nodes != 0 && hops > 1 && sum->situation->switching == PEAL_STORE_FORWARD)
        sum->known = false;
    closed_add_ring_rounds(sum, nodes - 1, longest);
}

/* c neighbours in a line send h hops on: link e of the c + h - 1 that they use carries min(e, c, h, c + h - e) of them.
 * A route has h of these links; the sum is largest on the middle ones: ch for c <= h, else h², less T(a) = 1 + .. + a
 * on one side and T(b) on the other, where a + b = c - 1 for c <= h, else max(2h - c, 0) - 1. */
int64_t
closed_round_load(int64_t c, int64_t h)
{
    int64_t missing = c <= h ? c : 2 * h > c ? 2 * h - c : 0;

    return (c < h ? c : h) * h - missing * missing / 4;
}

/* The messages of a round: as closed_add_shared has them. */
struct round_load {
    int64_t k, hops, route;
};

/* Add a round in which `copies` messages have this load each. */
static void
round_load_add(struct closed *sum, int64_t words, struct round_load load, int64_t copies)
{
    bool stored = sum->situation->switching == PEAL_STORE_FORWARD;

    if (load.k <= 1)
        load.route = load.hops;
    else if (stored && load.route == 0 && words > 0)
        sum->known = false;
    rounds_add(sum, 1, stored ? words : closed_product(sum, words, closed_product(sum, load.k, copies)), load.hops,
               stored ? closed_product(sum, words, closed_product(sum, load.route, copies)) : 0);
}

void
closed_add_shared(struct closed *sum, int64_t words, int64_t k, int64_t hops, int64_t route)
{
    if (sum->per_host > 0)
        sum->known = false;
    round_load_add(sum, words, (struct round_load){k, hops, route}, 1);
}

/* The largest sum of k over a route of a shift on a line or ring: of the nodes that go on, or of those that go back. */
static int64_t
shift_route(const struct shape *shape, int by)
{
    int64_t back = shape->extent[0] - by, fewer = by < back ? by : back;
    int64_t on = closed_round_load(back, by), round = closed_round_load(by, back);

    if (shape->closed[0])
        return fewer * fewer;
    return on > round ? on : round;
}

/* Along a line or ring of z nodes, shifting by s: a link carries what comes from the s nodes behind it, at most; on a
 * line, the s messages that go round the end go back over z-s links, at most z-s of them over one link.
 *   In several dimensions, by dimension order: adding `by` is adding its digits with carries (see shape_shift_hops).
 * In a line of dimension d, the faster coordinates are all at home already or all not yet moved, and decide the carry;
 * the slower ones leave one message for each coordinate.  So each line sees the shift by its digit, or by one more
 * where there is a carry: no line sees both, and what a round takes is the most that any line does. */
static struct round_load
shift_round_load(const struct shape *shape, int by)
{
    int64_t k = 1;

    for (int d = 0; d < shape->dimensions; d++) {
        int extent = shape->extent[d], digit = by / shape->stride[d] % extent;

        for (int carry = 0; carry <= (by % shape->stride[d] != 0); carry++) {
            int move = (digit + carry) % extent, fewer = move < extent - move ? move : extent - move;

            k = fewer > k ? fewer : k;
        }
    }
    return (struct round_load){k, shape_shift_hops(shape, by), shape->dimensions == 1 ? shift_route(shape, by) : 0};
}

/* In block order rank qN + r is on host q.  Shifted by a multiple of N, the nodes per host, all nodes of a host do what
 * the host does; shifted up or down by s < N, s of them go to the next host.  In cyclic order on H hosts, all move s
 * mod H hosts on. */
void
closed_add_shift(struct closed *sum, int by, int64_t words)
{
    int N = sum->per_host, H = sum->hosts.nodes, down = sum->situation->nodes - by;

    if (N == 0)
        round_load_add(sum, words, shift_round_load(&sum->shape, by), 1);
    else if (sum->cyclic && by % H == 0)
        rounds_add(sum, 1, words, 0, words);
    else if (sum->cyclic)
        round_load_add(sum, words, shift_round_load(&sum->hosts, by % H), N);
    else if (by % N == 0)
        round_load_add(sum, words, shift_round_load(&sum->hosts, by / N), N);
    else if (by < N || down < N)
        round_load_add(sum, words, shift_round_load(&sum->hosts, by < N ? 1 : H - 1), by < N ? by : down);
    else
        sum->known = false;
}

/* The wrap shares no link with the rest of a shift, and puts no more messages on one link than the rest does; on a ring
 * the rest goes back over the end if by > P/2.  On a hypercube the farthest message changes all bits from the lowest of
 * `by` on: known only where `by` is a single bit. */
void
closed_add_climb(struct closed *sum, int by, int64_t words)
{
    const struct shape *shape = &sum->shape;
    int P = shape->nodes, k = by < P - by ? by : P - by, hops = 0;

    switch (shape->kind) {
    case SHAPE_FULL:
        closed_add_same(sum, 1, words, 1);
        return;
    case SHAPE_LINE:
    case SHAPE_RING:
        hops = shape_hops(shape, 0, 0, by);
        closed_add_shared(sum, words, k, hops, closed_round_load(P - by, hops));
        return;
    case SHAPE_HYPERCUBE:
        for (int bit = by; bit < P; bit *= 2)
            hops++;
        closed_add_same(sum, 1, words, hops);
        if ((by & (by - 1)) != 0)
            sum->known = false;
        return;
    case SHAPE_MESH:
    case SHAPE_TORUS:
    case SHAPE_OTHER:
        sum->known = false;
    }
}

/* Bits of different dimensions are changed one after the other, in lines that see one exchange each.  In a line with h
 * the top bit of what changes, the nodes of 2h neighbours exchange halves: all h messages of a half cross its end.  A
 * node whose bits are all 0 goes farthest.  On a ring the top bit h = z/2 alone sends all messages the same way round.
 *   With bits l > 0 below it, t the highest of them: a node with bit t loses d <= t by l and goes up h - d; one without
 * goes down, and the ring looks the same upside down.  What crosses the link above e upwards are the nodes with bit t
 * up to e, less those that have arrived, which are the nodes without bit t up to e - h: h/2, for the h nodes up to e,
 * plus the nodes up to e - h with bit t less those without, which is never positive and is 0 at the end of 2t
 * neighbours.  So k = h/2; the least d is t less the bits of l below it.
 *   One bit h on a line or ring of any P: the first 2h ranks, or P, exchange halves, min(h, P-h) messages each way over
 * one link, and it is the middle one or, round a ring, the one that closes it.
 *   Under store-forward: with h the top bit and l those below it, the route from x to h + (x ^ l) misses, of links that
 * carry 1 .. h-1, h, h-1 .. 1 messages, the first x and the last h-1 - (x ^ l) = x ^ c, where c has the bits below h
 * that l lacks.  They carry T(x) + T(x ^ c), T(x) = 1 + .. + x: least if x is the top bit of c, or 0 if there is none.
 * Coordinates are free, so the dimensions' largest sums add up. */
static int64_t
exchange_route(int64_t h, int64_t l)
{
    int64_t c = h - 1 - l, x = 1;

    while (2 * x <= c)
        x *= 2;
    x = c > 0 ? x : 0;
    return h * h - x * (x + 1) / 2 - (c - x) * (c - x + 1) / 2;
}

static struct round_load
exchange_round_load(struct closed *sum, const struct shape *shape, int bits, bool both_ways)
{
    struct round_load load = {1, shape->kind == SHAPE_FULL ? 1 : 0, 0};
    bool derived = true; /* route */

    if (shape->kind == SHAPE_LINE || shape->kind == SHAPE_RING) {
        if ((bits & (bits - 1)) == 0) {
            load.k = bits < shape->nodes - bits ? bits : shape->nodes - bits;
            load.hops = shape_hops(shape, 0, 0, bits);
            load.route = shape->kind == SHAPE_RING && 2 * bits == shape->nodes && both_ways
                             ? load.k * load.k
                             : closed_round_load(load.k, load.hops);
            return load;
        }
    }
    if (!shape_powers_of_two(shape, 0))
        sum->known = false;
    for (int d = 0; d < shape->dimensions && sum->known; d++) {
        int extent = shape->extent[d], change = bits / shape->stride[d] % extent, top = 1;

        while (2 * top <= change)
            top *= 2;
        if (change == 0)
            continue;
        if (shape->closed[d] && 2 * top == extent && change != top) {
            int low = change - top, second = 1;

            while (2 * second <= low)
                second *= 2;
            load.k = top / 2 > load.k ? top / 2 : load.k;
            load.hops += top + low - 2 * second;
            derived = false;
            continue;
        }
        load.k = top > load.k ? top : load.k;
        load.hops += change;
        if (shape->closed[d] && 2 * top == extent && both_ways)
            load.route += (int64_t)top * top;
        else
            load.route += exchange_route(top, change - top);
    }
    load.route = derived ? load.route : 0;
    return load;
}

/* With N = 2^i nodes per host, the bits below N are within a host in block order, and those from N on its number;
 * in cyclic order, of H = 2^j hosts, those below H are. */
static void
add_exchange(struct closed *sum, int bits, int64_t words, bool both_ways)
{
    int N = sum->per_host, H = sum->hosts.nodes;
    int across = sum->cyclic ? bits % H : N > 0 ? bits / N : 0;

    if (N == 0)
        round_load_add(sum, words, exchange_round_load(sum, &sum->shape, bits, both_ways), 1);
    else if (across == 0)
        rounds_add(sum, 1, words, 0, words);
    else
        round_load_add(sum, words, exchange_round_load(sum, &sum->hosts, across, both_ways), N);
    if (N > 0 && ((N & (N - 1)) != 0 || (sum->cyclic && (H & (H - 1)) != 0)))
        sum->known = false;
}

void
closed_add_xor(struct closed *sum, int bits, int64_t words)
{
    add_exchange(sum, bits, words, true);
}

void
closed_add_half_xor(struct closed *sum, int bit, int64_t words)
{
    add_exchange(sum, bit, words, false);
}

void
closed_uneven(struct closed *sum)
{
    bool one_link = sum->shape.kind == SHAPE_HYPERCUBE && sum->situation->switching != PEAL_STORE_FORWARD;

    if (sum->shape.kind != SHAPE_FULL && !one_link)
        sum->known = false;
}

void
closed_bundles(struct closed *sum)
{
    if (sum->situation->noncombining && sum->situation->nodes > 2 && sum->situation->words > 0)
        sum->known = false;
}

void
closed_add_full(struct closed *sum, int64_t rounds, int64_t words)
{
    if (sum->shape.kind != SHAPE_FULL && rounds > 0)
        sum->known = false;
    closed_add_same(sum, rounds, words, 1);
}

/* One message a round shares nothing, so a round costs words·hops or hops.  The hops of all rounds are the sum of the
 * distances from the root, dimension by dimension: each distance in a dimension occurs P/extent times. */
void
closed_add_linear(struct closed *sum)
{
    const struct shape *shape = &sum->shape;
    int64_t nodes = sum->situation->nodes, words = closed_words(sum), distances = 0;

    for (int d = 0; d < shape->dimensions; d++) {
        int64_t extent = shape->extent[d], below = shape_coordinate(shape, d, sum->situation->root);
        int64_t above = extent - 1 - below;
        int64_t line = shape->closed[d] ? extent * extent / 4 : (below * (below + 1) + above * (above + 1)) / 2;

        distances += line * (nodes / extent);
    }
    if (shape->kind == SHAPE_FULL)
        distances = nodes - 1;
    if (sum->per_host > 0)
        sum->known = false;

    closed_total_add(sum, &sum->cost.alpha, nodes - 1);
    closed_total_add(
        sum, &sum->cost.beta,
        closed_product(sum, words, sum->situation->switching == PEAL_STORE_FORWARD ? distances : nodes - 1));
    if (sum->situation->switching == PEAL_WORMHOLE && !sum->one_host)
        closed_total_add(sum, &sum->cost.hop, distances);
}
