/* SPDX-License-Identifier: MIT */
/* Routing best, small rounds: see best.h for the guarantees. */
#include "lib/base/grow.h"
#include "lib/cost/best_inside.h"
#include <stdlib.h>
#include <string.h>

/* Exact rounds: a depth-first search over the transfers in the order of admission and the routes of each in theirs, so
 * that the first choice found among equals is the one to keep.  A branch is left when a link already charges as much as
 * the best choice known, or when some transfer to come has no route left that would charge less.  A failure is
 * remembered as the set of links that were too loaded: another route of the same transfer that takes the same of these
 * links fails as well, and is not tried. */

enum { NUMBERED = 512 };

/* A transfer with all its minimal routes.  The links that they all share come first in each, and are loaded from the
 * beginning. */
struct chooser {
    struct routed_transfer routed;
    uint32_t *routes;
    int count, chosen;
    int shared;
    int twin; /* the last earlier one with the same ends and as many words, or -1: its route is never after ours */
};

/* A set of numbered links. */
struct search_links {
    uint64_t bits[NUMBERED / 64];
};

struct link_search {
    struct best *best;
    bool numbered; /* the links are few enough */
    struct search_links on_route[BEST_TRANSFERS][BEST_ROUTES];
    struct chooser chooser[BEST_TRANSFERS];
    int count;
    int kept[BEST_TRANSFERS];
    uint64_t limit; /* only a lower objective is useful */
};

static inline const uint32_t *
route_at(const struct chooser *chooser, int i)
{
    return chooser->routes + (size_t)i * (size_t)chooser->routed.hops;
}

/* The price of links that the transfer is already on. */
static struct price
price_loaded(const struct best *best, const uint32_t *route, int hops)
{
    struct price price = {0};

    for (int i = 0; i < hops; i++) {
        const struct load *load = &best->load[route[i]];
        uint32_t wires = wires_of(best, load);
        uint64_t sharing = network_share(load->transfers, wires);
        uint64_t charge = best->volume      ? network_share(load->words, wires)
                          : best->forwarded ? sharing
                                            : load->words * sharing;

        price.charge = best->forwarded ? saturating_sum(price.charge, charge) : max_u64(price.charge, charge);
    }
    return price;
}

/* The charge of the chooser on its i-th route, with the others on theirs. */
static uint64_t
charge_on(const struct best *best, const struct chooser *chooser, int i)
{
    const uint32_t *route = route_at(chooser, i);
    struct price price = price_loaded(best, route, chooser->shared);

    for (int hop = chooser->shared; hop < chooser->routed.hops; hop++)
        price = price_with(best, price, &best->load[route[hop]], chooser->routed.words);
    return best->forwarded && !best->volume ? saturating_product(price.charge, chooser->routed.words) : price.charge;
}

/* The objective of the choosers that have chosen. */
static uint64_t
charge_so_far(const struct link_search *search, int chosen)
{
    uint64_t charge = search->best->floor;

    for (int i = 0; i < chosen; i++) {
        const struct chooser *chooser = &search->chooser[i];

        charge = max_u64(charge, routed_charge(search->best, &chooser->routed, route_at(chooser, chooser->chosen)));
    }
    return charge;
}

static void
report_fault_all(struct search_links *why)
{
    memset(why, 0xFF, sizeof *why);
}

/* Add the link that makes a route charge the limit or more. */
static void
report_fault_route(const struct link_search *search, const struct chooser *chooser, int i, struct search_links *why)
{
    const struct best *best = search->best;
    const uint32_t *route = route_at(chooser, i);

    if (!search->numbered || best->forwarded) {
        report_fault_all(why);
        return;
    }
    for (int hop = chooser->shared; hop < chooser->routed.hops; hop++) {
        const struct load *load = &best->load[route[hop]];

        if (price_with(best, (struct price){0}, load, chooser->routed.words).charge >= search->limit) {
            why->bits[(load->number - 1) / 64] |= UINT64_C(1) << (load->number - 1) % 64;
            return;
        }
    }
}

/* Whether two routes of a chooser take the same of these links. */
static bool
search_links_alike(const struct search_links *a, const struct search_links *b, const struct search_links *of)
{
    for (int i = 0; i < NUMBERED / 64; i++)
        if ((a->bits[i] ^ b->bits[i]) & of->bits[i])
            return false;
    return true;
}

/* Whether each remaining chooser has a route that charges less than the limit; adds the reason if not. */
static bool
hopeful(const struct link_search *search, int next, struct search_links *why)
{
    for (int i = next; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];
        int route = 0;

        while (route < chooser->count && charge_on(search->best, chooser, route) >= search->limit)
            route++;
        if (route < chooser->count)
            continue;
        for (route = 0; route < chooser->count; route++)
            report_fault_route(search, chooser, route, why);
        return false;
    }
    return true;
}

/* Search the choices of chooser `next` and those after it; adds the reason why none is below the limit at the end. */
static void
choose_from(struct link_search *search, int next, struct search_links *why)
{
    struct best *best = search->best;
    struct chooser *chooser = &search->chooser[next];
    struct search_links reason[BEST_ROUTES];

    if (next == search->count) {
        search->limit = charge_so_far(search, next);
        for (int i = 0; i < next; i++)
            search->kept[i] = search->chooser[i].chosen;
        report_fault_all(why);
        return;
    }
    const struct routed_transfer *routed = &chooser->routed;
    const struct search_links *on_route = search->on_route[next];
    struct load *saved = best->saved + routed->first;
    int hops = routed->hops - chooser->shared;
    int begin = chooser->twin < 0 ? 0 : search->chooser[chooser->twin].chosen;

    for (int i = begin; i < chooser->count && search->limit > best->floor; i++) {
        const uint32_t *route = route_at(chooser, i) + chooser->shared;
        int before = begin;

        while (before < i &&
               !(search->numbered && search_links_alike(&on_route[before], &on_route[i], &reason[before])))
            before++;
        if (before < i) {
            reason[i] = reason[before]; /* which is in *why */
            continue;
        }
        memset(&reason[i], 0, sizeof reason[i]);
        if (charge_on(best, chooser, i) >= search->limit) {
            report_fault_route(search, chooser, i, &reason[i]);
        } else {
            chooser->chosen = i;
            for (int hop = 0; hop < hops; hop++)
                saved[hop] = best->load[route[hop]];
            best_enter_route(best, routed->words, route, hops);
            if (charge_so_far(search, next + 1) >= search->limit)
                report_fault_all(&reason[i]);
            else if (hopeful(search, next + 1, &reason[i]))
                choose_from(search, next + 1, &reason[i]);
            for (int hop = 0; hop < hops; hop++)
                best->load[route[hop]] = saved[hop];
        }
        for (int word = 0; word < NUMBERED / 64; word++)
            why->bits[word] |= reason[i].bits[word];
    }
}

/* Number the links that some routes take and others do not. */
static void
number_links(struct link_search *search)
{
    uint32_t count = 0;

    memset(search->on_route, 0, sizeof search->on_route);
    search->numbered = true;
    for (int i = 0; i < search->count; i++)
        for (int route = 0; route < search->chooser[i].count; route++)
            for (int hop = search->chooser[i].shared; hop < search->chooser[i].routed.hops; hop++) {
                struct load *load = &search->best->load[route_at(&search->chooser[i], route)[hop]];

                if (load->number == 0 && count == NUMBERED) {
                    search->numbered = false;
                    return;
                }
                load->number = load->number ? load->number : ++count;
                search->on_route[i][route].bits[(load->number - 1) / 64] |= UINT64_C(1) << (load->number - 1) % 64;
            }
}

/* Move the links that all routes share to the front of each route. */
static void
find_shared(struct chooser *chooser)
{
    int hops = chooser->routed.hops;

    for (int hop = 0; hop < hops; hop++) {
        uint32_t *route = chooser->routes;
        int same = 1;

        while (same < chooser->count && route[same * hops + hop] == route[hop])
            same++;
        for (int i = 0; i < chooser->count && same == chooser->count; i++, route += hops) {
            uint32_t link = route[hop];

            route[hop] = route[chooser->shared];
            route[chooser->shared] = link;
        }
        chooser->shared += same == chooser->count;
    }
}

/* List the minimal routes of all transfers.  *fit becomes true unless they are too many to search. */
static bool
list_choices(struct link_search *search, bool *fit)
{
    struct best *best = search->best;
    uint32_t *routes;

    if (!array_grow(&best->all, &best->all_capacity, best->links * (BEST_ROUTES + 1), sizeof *best->all) ||
        !array_grow(&best->walk, &best->walk_capacity, 2 * best->links, sizeof *best->walk) ||
        !array_grow(&best->saved, &best->saved_capacity, best->links, sizeof *best->saved))
        return false;
    routes = best->all;
    search->count = (int)best->routed_count;
    for (int i = 0; i < search->count; i++) {
        const struct routed_transfer *routed = &best->routed[i];
        struct chooser *chooser = &search->chooser[i];

        *chooser = (struct chooser){.routed = *routed, .routes = routes, .twin = -1};
        for (int j = 0; j < i; j++)
            if (best->routed[j].from == routed->from && best->routed[j].to == routed->to &&
                best->routed[j].words == routed->words)
                chooser->twin = j;
        chooser->count = shortest_routes(best->network, best->route_graph, routed->from, routed->to, BEST_ROUTES + 1,
                                         routes, best->walk);
        if (chooser->count > BEST_ROUTES)
            return true;
        find_shared(chooser);
        routes += (size_t)chooser->count * (size_t)routed->hops;
    }
    *fit = true;
    return true;
}

void
search_keep(const struct link_search *search)
{
    const struct best *best = search->best;

    for (int i = 0; i < search->count; i++) {
        const struct routed_transfer *routed = &search->chooser[i].routed;
        int before = search->kept[i];

        shortest_routes(best->network, best->route_graph, routed->from, routed->to, before + 1, best->all, best->walk);
        memcpy(best->kept + routed->first, best->all + (size_t)before * (size_t)routed->hops,
               (size_t)routed->hops * sizeof *best->kept);
    }
}

/* Load the links that the routes of a transfer share, of all transfers. */
static void
enter_shared(const struct link_search *search)
{
    for (int i = 0; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];

        best_enter_route(search->best, chooser->routed.words, chooser->routes, chooser->shared);
    }
}

static void
clear_all(const struct link_search *search)
{
    for (int i = 0; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];

        best_clear_links(search->best, chooser->routes, (size_t)chooser->count * (size_t)chooser->routed.hops);
    }
}

uint64_t
search_first(struct link_search *search)
{
    struct best *best = search->best;
    uint64_t charge;

    enter_shared(search);
    for (int i = 0; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];
        uint64_t least = UINT64_MAX;

        for (int route = 0; route < chooser->count && least > best->floor; route++) {
            charge = charge_on(best, chooser, route);
            least = charge < least ? charge : least;
        }
        best->floor = max_u64(best->floor, least);
    }
    for (int i = 0; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];

        best_enter_route(best, chooser->routed.words, chooser->routes + chooser->shared,
                         chooser->routed.hops - chooser->shared);
    }
    charge = charge_so_far(search, search->count);
    clear_all(search);
    return charge;
}

void
search_exactly(struct link_search *search, uint64_t limit)
{
    struct search_links why = {{0}};

    search->limit = limit;
    enter_shared(search);
    number_links(search);
    choose_from(search, 0, &why);
    clear_all(search);
}

bool
search_begin(struct best *best, bool *fit)
{
    *fit = false;
    if (best->routed_count > BEST_TRANSFERS)
        return true;
    if (!best->search && !(best->search = malloc(sizeof *best->search)))
        return false;
    best->search->best = best;
    memset(best->search->kept, 0, sizeof best->search->kept);
    return list_choices(best->search, fit);
}
