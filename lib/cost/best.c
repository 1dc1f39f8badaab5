/* SPDX-License-Identifier: MIT */
/* Routing best: see best.h for the guarantees, best_search.c for the exact choice. */
#include "lib/base/grow.h"
#include "lib/cost/best_inside.h"
#include <stdlib.h>
#include <string.h>

/* Heuristic: the transfers take routes one after the other, those of more words first, equals in the order of
 * admission; each the route whose most charged link is charged least, then the sum of its loads (under
 * PEAL_STORE_FORWARD the sum of its charges).  It is found layer by layer: of the vertices h hops along the way, the 24
 * cheapest are kept, fewer when the round has many hops, and the first found among equals.  Then up to PASSES times
 * each transfer in turn leaves its route and takes a cheaper one if there is one.  The best choice after any of these
 * steps is kept, or the topology's own routes when those are as good. */

enum { PASSES = 3, WIDTH = 24 };

/* Longer messages count as this long here, so that no sum over BEST_HOPS links overflows. */
static const uint64_t most_words = UINT64_C(1) << 41;

/* A vertex on the way, and the price of the cheapest way found to it. */
struct reached {
    int vertex;
    struct price price;
};

/* The hop to a vertex on the way, from a place among those kept one hop before. */
struct hop {
    uint32_t link;
    uint32_t place;
};

/* ------------------------------------------------------------------ creating */

struct best *
best_create(const struct peal_pricing *pricing)
{
    struct best *best = calloc(1, sizeof *best);

    if (!best)
        return NULL;
    best->network = network_hosts(pricing->network);
    best->placed = pricing->network;
    best->route_graph = best->network->topology->route_graph;
    best->volume = pricing->congestion == PEAL_VOLUME;
    best->forwarded = pricing->switching == PEAL_STORE_FORWARD;
    best->capacity = pricing->network->capacity;
    best->widest = 1;
    for (uint64_t wire = 0; best->capacity && wire < pricing->network->link_limit / 2; wire++)
        best->widest = best->capacity[wire] > best->widest ? best->capacity[wire] : best->widest;
    best->load = calloc((size_t)pricing->network->link_limit + 1, sizeof *best->load);
    if (!best->load) {
        free(best);
        return NULL;
    }
    return best;
}

void
best_destroy(struct best *best)
{
    if (!best)
        return;
    free(best->load);
    free(best->routed);
    free(best->routes);
    free(best->kept);
    free(best->hop);
    free(best->all);
    free(best->saved);
    free(best->walk);
    free(best->search);
    free(best);
}

/* ------------------------------------------------------------------ prices */

static inline bool
price_is_lower(struct price a, struct price b)
{
    return a.charge != b.charge ? a.charge < b.charge : a.loads < b.loads;
}

static struct price
best_route_price(const struct best *best, uint64_t words, const uint32_t *route, int hops)
{
    struct price price = {0};

    for (int i = 0; i < hops; i++)
        price = price_with(best, price, &best->load[route[i]], words);
    return price;
}

static void
best_leave_route(const struct best *best, uint64_t words, const uint32_t *route, int hops)
{
    for (int i = 0; i < hops; i++) {
        struct load *load = &best->load[route[i]];

        load->words = --load->transfers == 0 ? 0 : best->volume ? load->words - words : load->words;
    }
}

/* The objective, with all transfers on their routes. */
static uint64_t
objective(const struct best *best)
{
    uint64_t charge = best->own_words;

    for (size_t i = 0; i < best->routed_count; i++)
        charge = max_u64(charge, routed_charge(best, &best->routed[i], best->routes + best->routed[i].first));
    return charge;
}

/* ------------------------------------------------------------------ heuristic */

/* The place for a way to the vertex among the `count` that are reached, at most `width` of them; -1 when all of these
 * are cheaper. */
static int
reached_place(const struct reached *reached, int *count, int width, int vertex, struct price price)
{
    int dearest = 0;

    for (int i = 0; i < *count; i++) {
        if (reached[i].vertex == vertex)
            return price_is_lower(price, reached[i].price) ? i : -1;
        dearest = price_is_lower(reached[i].price, reached[dearest].price) ? dearest : i;
    }
    if (*count < width)
        return (*count)++;
    return price_is_lower(price, reached[dearest].price) ? dearest : -1;
}

/* Find a cheap route through the present loads; gives its price.  best->hop has width · hops entries. */
static struct price
find_route(const struct best *best, const struct routed_transfer *routed, int width, uint32_t *route)
{
    struct reached layers[2][WIDTH], *here = layers[0], *next = layers[1];
    int count = 1;

    here[0] = (struct reached){routed->from, {0, 0}};
    for (int left = routed->hops - 1; left >= 0; left--) {
        struct hop *hop = best->hop + (routed->hops - 1 - left) * width;
        struct reached *swap = here;
        struct step step;
        int found = 0;

        for (int i = 0; i < count; i++)
            for (int place = 0;
                 shortest_step(best->network, best->route_graph, here[i].vertex, routed->to, left, &place, &step);) {
                struct price price = price_with(best, here[i].price, &best->load[step.link], routed->words);
                int to = reached_place(next, &found, width, step.vertex, price);

                if (to >= 0) {
                    next[to] = (struct reached){step.vertex, price};
                    hop[to] = (struct hop){step.link, (uint32_t)i};
                }
            }
        here = next;
        next = swap;
        count = found;
    }
    for (uint32_t i = (uint32_t)routed->hops, place = 0; i-- > 0;) {
        const struct hop *hop = best->hop + i * (uint32_t)width + place;

        route[i] = hop->link;
        place = hop->place;
    }
    return here[0].price;
}

/* Let a transfer, which is on no route, take a cheap one, or `old` when that is as cheap; false: `old`. */
static bool
take_route(const struct best *best, const struct routed_transfer *routed, int width, const uint32_t *old)
{
    uint32_t *route = best->routes + routed->first;
    struct price price = find_route(best, routed, width, route);
    bool stays = old && !price_is_lower(price, best_route_price(best, routed->words, old, routed->hops));

    if (stays)
        memcpy(route, old, (size_t)routed->hops * sizeof *route);
    best_enter_route(best, routed->words, route, routed->hops);
    return !stays;
}

/* Keep the present routes if they charge less than *charge. */
static void
keep_cheaper(struct best *best, uint64_t *charge)
{
    uint64_t now = objective(best);

    if (now >= *charge)
        return;
    *charge = now;
    memcpy(best->kept, best->routes, best->links * sizeof *best->kept);
}

/* Make the loads exact again: best_leave_route() does not know which of the remaining transfers has the most words. */
static void
load_again(const struct best *best)
{
    best_clear_links(best, best->routes, best->links);
    for (size_t i = 0; i < best->routed_count; i++) {
        const struct routed_transfer *routed = &best->routed[i];

        best_enter_route(best, routed->words, best->routes + routed->first, routed->hops);
    }
}

static int
compare_routed(const void *a, const void *b)
{
    const struct routed_transfer *x = a, *y = b;

    if (x->words != y->words)
        return x->words < y->words ? 1 : -1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Find good routes and store them in kept; gives their objective in *charge. */
static bool
search_roughly(struct best *best, uint64_t *charge)
{
    size_t total = best->links, longest = 0;
    int width = total * WIDTH <= BEST_HOPS ? WIDTH : (int)(BEST_HOPS / total);
    bool moved = true;

    for (size_t i = 0; i < best->routed_count; i++) {
        const struct routed_transfer *routed = &best->routed[i];

        network_own_route(best->network, routed->from, routed->to, best->routes + routed->first);
        best_enter_route(best, routed->words, best->routes + routed->first, routed->hops);
        longest = (size_t)max_u64(longest, (uint64_t)routed->hops);
    }
    *charge = objective(best);
    memcpy(best->kept, best->routes, total * sizeof *best->kept);
    best_clear_links(best, best->routes, total);
    if (*charge <= best->floor)
        return true;
    if (!array_grow(&best->hop, &best->hop_capacity, longest * (size_t)width, sizeof *best->hop) ||
        !array_grow(&best->walk, &best->walk_capacity, 2 * longest, sizeof *best->walk))
        return false;
    qsort(best->routed, best->routed_count, sizeof *best->routed, compare_routed);
    for (size_t i = 0; i < best->routed_count; i++)
        take_route(best, &best->routed[i], width, NULL);
    keep_cheaper(best, charge);
    for (int pass = 0; pass < PASSES && moved && *charge > best->floor; pass++) {
        moved = false;
        load_again(best);
        for (size_t i = 0; i < best->routed_count; i++) {
            const struct routed_transfer *routed = &best->routed[i];
            uint32_t *old = (uint32_t *)best->walk;

            memcpy(old, best->routes + routed->first, (size_t)routed->hops * sizeof *old);
            best_leave_route(best, routed->words, old, routed->hops);
            moved = take_route(best, routed, width, old) || moved;
        }
        keep_cheaper(best, charge);
    }
    best_clear_links(best, best->routes, total);
    return true;
}

/* ------------------------------------------------------------------ a round */

/* List the transfers that take a route; gives the sum of their hops, and the lower bound of the objective. */
static bool
list_routed(struct best *best, struct peal_transfer *transfers, size_t count)
{
    if (!array_grow(&best->routed, &best->routed_capacity, count, sizeof *best->routed))
        return false;
    best->routed_count = best->links = 0;
    best->own_words = 0;
    best->floor = 0;
    for (size_t i = 0; i < count && best->links <= BEST_HOPS; i++) {
        struct peal_transfer *transfer = &transfers[i];
        uint64_t words = transfer->words < most_words ? transfer->words : most_words;
        int from = network_host(best->placed, transfer->from), to = network_host(best->placed, transfer->to);
        int hops = peal_network_distance(best->network, from, to);

        transfer->hops = (uint32_t)hops;
        if (hops == 0) {
            if (!best->forwarded || transfer->from != transfer->to)
                best->own_words = max_u64(best->own_words, words);
            continue;
        }
        best->routed[best->routed_count++] = (struct routed_transfer){words, from, to, hops, (uint32_t)i, best->links};
        best->links += (size_t)hops;
        uint64_t least = network_share(words, best->volume ? best->widest : 1);

        best->floor = max_u64(best->floor, best->forwarded ? saturating_product(least, (uint64_t)hops) : least);
    }
    best->floor = max_u64(best->floor, best->own_words);
    return true;
}

bool
best_choose(struct best *best, struct peal_transfer *transfers, size_t count, const uint32_t **routes, size_t *links)
{
    uint64_t charge;
    bool fit;

    *routes = NULL;
    *links = 0;
    if (!list_routed(best, transfers, count))
        return false;
    if (best->links > BEST_HOPS)
        return true;
    if (best->links > best->routes_capacity) {
        size_t room[2] = {0, 0};

        best->routes_capacity = 0;
        if (!array_grow(&best->routes, &room[0], best->links, sizeof *best->routes) ||
            !array_grow(&best->kept, &room[1], best->links, sizeof *best->kept))
            return false;
        best->routes_capacity = best->links;
    }
    *routes = best->kept;
    *links = best->links;
    if (!search_begin(best, &fit))
        return false;
    if (!fit)
        return search_roughly(best, &charge);

    uint64_t first = search_first(best->search);

    if (first > best->floor) {
        if (!search_roughly(best, &charge))
            return false;
        search_exactly(best->search, charge < first ? charge + 1 : first);
    }
    search_keep(best->search);
    return true;
}
