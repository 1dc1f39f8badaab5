/* SPDX-License-Identifier: MIT */
/* The loads of a round's links, and the resulting charge. */
#include "lib/cost/charge.h"
#include "lib/base/grow.h"
#include "lib/cost/arithmetic.h"
#include "lib/cost/best.h"
#include "lib/cost/places_load.h"
#include <stdlib.h>
#include <string.h>

/* Numbered links have their loads in arrays that are all zero between rounds; a round goes over its routes three times:
 * to add to the loads, to read them, to clear them.  The routes are kept from the first time to the last, up to
 * KEPT_LINKS; longer rounds are done in parts, and route each part again each time.  With routing best, the routes of a
 * round are chosen together, and are all kept.  Where the first routes of a round turn out to be long and to go along
 * lines of nodes, the round is charged by stretches instead (places_load.h).  A round in which no link is shared, as
 * adding shows, needs no reading.
 *
 * Private links (full) have no routes.  As long as every host sends once in the round, none is shared; only when one
 * sends twice are the links of the round counted, in a hash. */

enum {
    KEPT_LINKS = 1 << 22,
    FIRST_LINKS = 1 << 10,
    AHEAD = 16,           /* links between asking for a load and using it */
    NEAR_LINKS = 1 << 14, /* the loads of this many links stay in the cache */
};

/* A private link that is used in this round. */
struct used_link {
    uint64_t key; /* 1 + from·H + to, of H hosts; 0: free */
    uint64_t words;
    uint32_t transfers;
};

struct charge_scratch {
    /* numbered links */
    uint32_t *transfers; /* on each link; all 0 between rounds */
    uint64_t *words;     /* on each link, PEAL_VOLUME only; all 0 between rounds */
    uint32_t *routes;    /* one after the other */
    size_t routes_capacity;
    const uint32_t *part; /* the current routes: these, or best's */
    size_t part_links;
    uint64_t *alone; /* the β of each transfer alone; only where a message is spread over wires */
    size_t alone_capacity;
    struct best *best;         /* NULL: every transfer takes the topology's route */
    struct places_load *lines; /* made for the first round whose routes are long */

    /* private links */
    uint32_t *sent_in; /* the last round in which a host sent */
    uint32_t round;
    struct used_link *table;
    size_t table_capacity; /* a power of two */
};

/* ------------------------------------------------------------------ creating */

enum peal_status
charger_init(struct charger *charger, const struct peal_pricing *pricing, struct peal_error *error)
{
    const struct peal_network *network = pricing->network;
    struct charge_scratch *scratch = calloc(1, sizeof *scratch);
    bool memory = scratch != NULL;

    *charger = (struct charger){.pricing = *pricing, .scratch = scratch};
    if (memory && network->private_links) {
        scratch->sent_in = calloc((size_t)network_hosts(network)->nodes, sizeof *scratch->sent_in);
        memory = scratch->sent_in;
    } else if (memory) {
        size_t links = (size_t)network->link_limit + 1; /* calloc's pages are allocated when first touched */

        scratch->routes_capacity = FIRST_LINKS + (size_t)network->diameter;
        scratch->routes = malloc(scratch->routes_capacity * sizeof *scratch->routes);
        scratch->transfers = calloc(links, sizeof *scratch->transfers);
        if (pricing->congestion == PEAL_VOLUME)
            scratch->words = calloc(links, sizeof *scratch->words);
        memory = scratch->routes && scratch->transfers && (scratch->words || pricing->congestion == PEAL_COUNT);
        if (memory && network->best && network_hosts(network)->topology->route_graph)
            memory = (scratch->best = best_create(&charger->pricing));
    }
    if (memory)
        return PEAL_OK;
    charger_fini(charger);
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the loads of the %llu links of %s",
                       (unsigned long long)network->links, network->name);
}

void
charger_fini(struct charger *charger)
{
    struct charge_scratch *scratch = charger->scratch;

    if (scratch) {
        free(scratch->transfers);
        free(scratch->words);
        free(scratch->routes);
        free(scratch->alone);
        best_destroy(scratch->best);
        lines_destroy(scratch->lines);
        free(scratch->sent_in);
        free(scratch->table);
        free(scratch);
    }
    *charger = (struct charger){0};
}

/* ------------------------------------------------------------------ the charge */

static inline int64_t
coefficient(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* Set k, and raise the charge to that of the transfer. */
static inline void
charge_transfer(const struct peal_pricing *pricing, struct peal_transfer *transfer, const struct line_load *load,
                struct peal_cost *charge)
{
    bool forwarded = pricing->switching == PEAL_STORE_FORWARD;
    uint64_t beta;

    if (transfer->hops == 0) /* to oneself, or to a node of the same host */
        beta = forwarded && transfer->from == transfer->to ? 0 : transfer->words;
    else if (pricing->congestion == PEAL_VOLUME)
        beta = forwarded ? load->words_sum : load->words_most;
    else
        beta = saturating_product(transfer->words, forwarded ? load->transfers_sum : load->transfers_most);
    transfer->k = transfer->hops ? load->transfers_most : 1;
    charge->alpha = 1;
    if (coefficient(beta) > charge->beta)
        charge->beta = coefficient(beta);
    if (pricing->switching == PEAL_WORMHOLE && transfer->hops > charge->hop)
        charge->hop = transfer->hops;
}

/* Whether messages are spread over the wires of a link, so that their β depends on the links that they take. */
static inline bool
spreads(const struct peal_pricing *pricing)
{
    return pricing->network->capacity && pricing->congestion == PEAL_VOLUME;
}

bool
charge_alike(const struct charger *charger)
{
    const struct peal_pricing *pricing = &charger->pricing;
    bool by_ends = pricing->network->host && pricing->switching == PEAL_STORE_FORWARD; /* of those without hops */

    return !spreads(pricing) && !by_ends;
}

struct peal_cost
charge_alone(const struct charger *charger, const struct peal_transfer *transfers, size_t i)
{
    struct peal_transfer transfer = transfers[i];
    uint64_t words = transfer.words, sum_of_links = saturating_product(words, transfer.hops);
    struct peal_cost charge = {0};

    if (spreads(&charger->pricing))
        words = sum_of_links = charger->scratch->alone[i];
    struct line_load load = {
        .transfers_most = 1, .transfers_sum = transfer.hops, .words_most = words, .words_sum = sum_of_links};

    charge_transfer(&charger->pricing, &transfer, &load, &charge);
    return charge;
}

/* ------------------------------------------------------------------ numbered links */

static bool
routes_grow(struct charge_scratch *scratch)
{
    size_t capacity = scratch->routes_capacity * 2;

    return capacity <= KEPT_LINKS &&
           array_grow(&scratch->routes, &scratch->routes_capacity, capacity, sizeof *scratch->routes);
}

/* Route the transfers from `first` on, as many as there is room for; returns the first one not routed. */
static size_t
route_part(const struct charger *charger, struct peal_transfer *transfers, size_t first, size_t count)
{
    const struct peal_network *network = charger->pricing.network;
    struct charge_scratch *scratch = charger->scratch;
    size_t room = (size_t)network->diameter, used = 0, i = first;
    size_t try_at = first, in_vain = 0; /* where to look for steps again, less and less often when there are none */
    size_t (*steps)(const struct peal_network *, struct peal_transfer *, size_t, uint32_t *) = network->topology->steps;

    for (; i < count; i++) {
        while (scratch->routes_capacity - used < room && routes_grow(scratch))
            continue;
        if (scratch->routes_capacity - used < room)
            break;
        if (steps && i >= try_at) { /* as many as there is room for, and room for one more route after them */
            size_t most = scratch->routes_capacity - used - room;
            size_t stepped = steps(network, transfers + i, most < count - i ? most : count - i, scratch->routes + used);

            used += stepped;
            i += stepped;
            if (i == count)
                break;
            in_vain = stepped > 0 ? 0 : in_vain * 2 + 1;
            try_at = i + 1 + in_vain;
        }
        int hops = network_own_route(network, transfers[i].from, transfers[i].to, scratch->routes + used);

        transfers[i].hops = (uint32_t)hops;
        used += (size_t)hops;
        if (lines_pay(network, i + 1 - first, used)) { /* long routes: by stretches, if there is memory */
            i++;
            break;
        }
    }
    scratch->part = scratch->routes;
    scratch->part_links = used;
    return i;
}

/* Add a transfer and its words to every link of the routes of transfers[first .. end).  Gives the most transfers, of
 * these and the earlier ones, that share one of these links. */
static uint32_t
add_part(const struct charger *charger, struct peal_transfer *transfers, size_t first, size_t end)
{
    struct charge_scratch *scratch = charger->scratch;
    const uint32_t *route = scratch->part;
    uint32_t *loads = scratch->transfers, most = 0, other = 0;
    size_t links = scratch->part_links, i = 0;
    size_t ahead = links > AHEAD && charger->pricing.network->link_limit > NEAR_LINKS ? links - AHEAD : 0;

    for (; i < ahead; i++) {
        uint32_t load = ++loads[route[i]];

        __builtin_prefetch(&loads[route[i + AHEAD]], 1);
        most = load > most ? load : most;
    }
    for (; i + 1 < links; i += 2) {
        uint32_t one = ++loads[route[i]], two = ++loads[route[i + 1]];

        most = one > most ? one : most;
        other = two > other ? two : other;
    }
    for (; i < links; i++) {
        uint32_t load = ++loads[route[i]];

        most = load > most ? load : most;
    }
    for (i = first; scratch->words && i < end; i++)
        for (uint32_t hop = 0; hop < transfers[i].hops; hop++, route++)
            scratch->words[*route] = saturating_sum(scratch->words[*route], transfers[i].words);
    return most > other ? most : other;
}

/* The load over the links of a route; the sum only if it is wanted.  No link has more than `highest`: in most rounds
 * with many hops a route soon reaches a link with as many. */
static inline struct line_load
route_load(const struct charge_scratch *scratch, const uint32_t *route, uint32_t hops, bool summed, uint32_t highest)
{
    struct line_load load = {0};
    const uint32_t *loads = scratch->transfers;
    uint32_t most = 0;

    for (uint32_t hop = 0; hop < hops && most < highest; hop++)
        most = loads[route[hop]] > most ? loads[route[hop]] : most;
    load.transfers_most = most;
    for (uint32_t hop = 0; summed && hop < hops; hop++)
        load.transfers_sum += scratch->transfers[route[hop]];
    for (uint32_t hop = 0; scratch->words && hop < hops; hop++) {
        uint64_t words = scratch->words[route[hop]];

        load.words_most = words > load.words_most ? words : load.words_most;
        load.words_sum = saturating_sum(load.words_sum, words);
    }
    return load;
}

/* The load on links with capacities.  Gives in *alone the words charged for a transfer of `words` words that has the
 * route to itself. */
static struct line_load
load_of_wires(const struct charger *charger, const uint32_t *route, uint32_t hops, uint64_t words, uint64_t *alone)
{
    const struct charge_scratch *scratch = charger->scratch;
    bool forwarded = charger->pricing.switching == PEAL_STORE_FORWARD;
    struct line_load load = {0};

    *alone = 0;
    for (uint32_t hop = 0; hop < hops; hop++) {
        uint32_t wires = network_capacity(charger->pricing.network, route[hop]);
        uint32_t transfers = (uint32_t)network_share(scratch->transfers[route[hop]], wires);
        uint64_t own = network_share(words, wires);

        load.transfers_most = transfers > load.transfers_most ? transfers : load.transfers_most;
        load.transfers_sum += transfers;
        *alone = forwarded ? saturating_sum(*alone, own) : own > *alone ? own : *alone;
        if (!scratch->words)
            continue;
        uint64_t on_link = network_share(scratch->words[route[hop]], wires);

        load.words_most = on_link > load.words_most ? on_link : load.words_most;
        load.words_sum = saturating_sum(load.words_sum, on_link);
    }
    return load;
}

static void
charge_read_wires(const struct charger *charger, struct peal_transfer *transfers, size_t first, size_t end,
                  struct peal_cost *charge)
{
    const struct charge_scratch *scratch = charger->scratch;
    const uint32_t *route = scratch->part;

    for (size_t i = first; i < end; route += transfers[i++].hops) {
        uint64_t alone;
        struct line_load load = load_of_wires(charger, route, transfers[i].hops, transfers[i].words, &alone);

        if (scratch->alone)
            scratch->alone[i] = transfers[i].hops ? alone : transfers[i].words;
        charge_transfer(&charger->pricing, &transfers[i], &load, charge);
    }
}

static void
read_part(const struct charger *charger, struct peal_transfer *transfers, size_t first, size_t end, uint32_t highest,
          struct peal_cost *charge)
{
    const struct peal_pricing pricing = charger->pricing;
    const struct charge_scratch *scratch = charger->scratch;
    const uint32_t *route = scratch->part;
    struct peal_cost most = *charge;

    if (pricing.network->capacity) {
        charge_read_wires(charger, transfers, first, end, charge);
        return;
    }
    for (size_t i = first; i < end; route += transfers[i++].hops) {
        struct line_load load =
            route_load(scratch, route, transfers[i].hops, pricing.switching == PEAL_STORE_FORWARD, highest);

        charge_transfer(&pricing, &transfers[i], &load, &most);
    }
    *charge = most;
}

/* Charge transfers of which no two share a link. */
static void
charge_unshared(const struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge)
{
    const struct peal_pricing pricing = charger->pricing;
    struct peal_cost most = *charge;

    for (size_t i = 0; i < count; i++) {
        uint64_t words = transfers[i].words;
        struct line_load alone = {1, transfers[i].hops, words, saturating_product(words, transfers[i].hops)};

        charge_transfer(&pricing, &transfers[i], &alone, &most);
    }
    *charge = most;
}

static void
clear_part(const struct charger *charger)
{
    struct charge_scratch *scratch = charger->scratch;
    uint64_t limit = charger->pricing.network->link_limit;

    if (scratch->part_links > limit / 2) /* all of them, in a row */
        memset(scratch->transfers, 0, (size_t)limit * sizeof *scratch->transfers);
    else
        for (size_t i = 0; i < scratch->part_links; i++)
            scratch->transfers[scratch->part[i]] = 0;
    for (size_t i = 0; scratch->words && i < scratch->part_links; i++)
        scratch->words[scratch->part[i]] = 0;
}

/* By stretches; false when that is impossible. */
static bool
charge_lines(const struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge)
{
    struct charge_scratch *scratch = charger->scratch;
    struct line_load loads[LINES_BATCH];

    if (!scratch->lines)
        scratch->lines = lines_create(&charger->pricing);
    if (!scratch->lines || !lines_load(scratch->lines, transfers, count))
        return false;
    for (size_t i = 0; i < count; i += LINES_BATCH) {
        size_t batch = count - i < LINES_BATCH ? count - i : LINES_BATCH;

        lines_read(scratch->lines, transfers + i, batch, loads);
        for (size_t j = 0; j < batch; j++)
            charge_transfer(&charger->pricing, &transfers[i + j], &loads[j], charge);
    }
    return true;
}

static void
charge_own(const struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge)
{
    size_t end = route_part(charger, transfers, 0, count);
    bool whole = end == count; /* the routes need not be computed again */

    if (lines_pay(charger->pricing.network, end, charger->scratch->part_links) &&
        charge_lines(charger, transfers, count, charge))
        return;
    uint32_t highest = add_part(charger, transfers, 0, end);

    if (whole && highest <= 1 && !spreads(&charger->pricing)) {
        charge_unshared(charger, transfers, count, charge);
        clear_part(charger);
        return;
    }
    for (size_t first = end; first < count; first = end) {
        end = route_part(charger, transfers, first, count);
        uint32_t most = add_part(charger, transfers, first, end);

        highest = most > highest ? most : highest;
    }
    for (size_t first = 0; first < count; first = end) {
        end = whole ? count : route_part(charger, transfers, first, count);
        read_part(charger, transfers, first, end, highest, charge);
    }
    for (size_t first = 0; first < count; first = end) {
        end = whole ? count : route_part(charger, transfers, first, count);
        clear_part(charger);
    }
}

static bool
charge_numbered(const struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge)
{
    struct charge_scratch *scratch = charger->scratch;

    if (spreads(&charger->pricing) &&
        !array_grow(&scratch->alone, &scratch->alone_capacity, count, sizeof *scratch->alone))
        return false;
    if (scratch->best && !best_choose(scratch->best, transfers, count, &scratch->part, &scratch->part_links))
        return false;
    if (!scratch->best || !scratch->part) {
        charge_own(charger, transfers, count, charge);
        return true;
    }
    uint32_t highest = add_part(charger, transfers, 0, count);

    read_part(charger, transfers, 0, count, highest, charge);
    clear_part(charger);
    return true;
}

/* ------------------------------------------------------------------ private links */

/* Set hops; return whether some host sends more than once to others. */
static bool
sends_repeat(const struct charger *charger, struct peal_transfer *transfers, size_t count)
{
    const struct peal_network *network = charger->pricing.network;
    struct charge_scratch *scratch = charger->scratch;
    bool repeat = false;

    if (++scratch->round == 0) { /* the round numbers are used up: begin again */
        memset(scratch->sent_in, 0, (size_t)network_hosts(network)->nodes * sizeof *scratch->sent_in);
        scratch->round = 1;
    }
    for (size_t i = 0; i < count; i++) {
        int from = network_host(network, transfers[i].from);

        transfers[i].hops = from != network_host(network, transfers[i].to);
        if (transfers[i].hops) {
            uint32_t *sent_in = &scratch->sent_in[from];

            repeat = repeat || *sent_in == scratch->round;
            *sent_in = scratch->round;
        }
    }
    return repeat;
}

/* A table of its own and not lib/base's: it is emptied for each round that is charged. */
static struct used_link *
used_link_find(const struct charger *charger, const struct peal_transfer *transfer, size_t mask)
{
    const struct peal_network *network = charger->pricing.network;
    uint64_t from = (uint64_t)network_host(network, transfer->from), to = (uint64_t)network_host(network, transfer->to);
    uint64_t key = 1 + from * (uint64_t)network_hosts(network)->nodes + to;
    struct used_link *table = charger->scratch->table;
    size_t place = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & mask;

    while (table[place].key && table[place].key != key)
        place = (place + 1) & mask;
    table[place].key = key;
    return &table[place];
}

static bool
charge_shared(const struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge)
{
    struct charge_scratch *scratch = charger->scratch;
    size_t size = 64;

    while (size / 2 < count)
        size *= 2;
    if (size > scratch->table_capacity) {
        struct used_link *table = malloc(size * sizeof *table);

        if (!table)
            return false;
        free(scratch->table);
        scratch->table = table;
        scratch->table_capacity = size;
    }
    memset(scratch->table, 0, size * sizeof *scratch->table);
    for (size_t i = 0; i < count; i++)
        if (transfers[i].hops) {
            struct used_link *link = used_link_find(charger, &transfers[i], size - 1);

            link->transfers++;
            link->words = saturating_sum(link->words, transfers[i].words);
        }
    for (size_t i = 0; i < count; i++) {
        struct line_load load = {0};

        if (transfers[i].hops) {
            const struct used_link *link = used_link_find(charger, &transfers[i], size - 1);

            load = (struct line_load){link->transfers, link->transfers, link->words, link->words};
        }
        charge_transfer(&charger->pricing, &transfers[i], &load, charge);
    }
    return true;
}

static bool
charge_private(const struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge)
{
    if (sends_repeat(charger, transfers, count))
        return charge_shared(charger, transfers, count, charge);
    charge_unshared(charger, transfers, count, charge);
    return true;
}

/* ------------------------------------------------------------------ a round */

bool
charge_round(struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge)
{
    struct peal_cost sum_of_round = {0};
    bool memory = true;

    if (charger->pricing.network->private_links)
        memory = charge_private(charger, transfers, count, &sum_of_round);
    else
        memory = charge_numbered(charger, transfers, count, &sum_of_round);
    if (memory)
        *charge = sum_of_round;
    return memory;
}
