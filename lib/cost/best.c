/* SPDX-License-Identifier: MIT */
/* Routing best: see best.h for what is promised.
 *
 * Exact rounds: a depth-first search over the transfers in the order of admission and the routes of each in theirs, so
 * that the first choice found among equals is the one to keep.  A branch is left when a link already charges as much
 * as the best choice known, or when some transfer to come has no route left that would charge less.  What failed is
 * remembered as the links that were too loaded: another route of the same transfer that takes the same of these links
 * fails as well, and is not tried.
 *
 * Heuristic: the transfers take routes one after the other, those of more words first, equals in the order of
 * admission; each the route that makes the most charged of its links least, then the sum of its loads (under
 * PEAL_STORE_FORWARD the sum of its charges).  It is found layer by layer: of the vertices that are h hops on the way,
 * the 24 cheapest are kept, fewer when the round has many hops, and the first found among equals.  Then up to PASSES
 * times each transfer in turn leaves its route and takes a cheaper one if there is one.  The best choice after any of
 * these steps is kept, or the topology's own routes when those are as good. */
#include "lib/cost/best.h"
#include "lib/cost/arithmetic.h"
#include "lib/network/shortest.h"
#include <stdlib.h>
#include <string.h>

enum { PASSES = 3, WIDTH = 24, NUMBERED = 512 };

/* Longer messages count as this long here, so that no sum over BEST_HOPS links is too large for its type. */
static const uint64_t most_words = UINT64_C(1) << 41;

/* What is on a link. */
struct load {
    uint64_t words; /* the sum under PEAL_VOLUME, else the longest (or longer, when that one has left) */
    uint32_t transfers;
    uint32_t number; /* in a search, from 1 */
};

/* What a route charges: the first decides, the second among equals. */
struct price {
    uint64_t charge, loads;
};

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

/* A transfer that takes a route. */
struct traveller {
    uint64_t words;
    int from, to, hops;
    uint32_t index; /* in the round */
    size_t first;   /* its route is routes[first .. first + hops) */
};

struct best {
    const struct peal_network *network;
    const struct landscape *landscape;
    bool volume, forwarded;
    struct load *load; /* all zero between rounds */

    struct traveller *traveller; /* in the order of admission, then in the order in which they choose */
    size_t traveller_count, traveller_capacity;
    size_t links;           /* of all routes */
    uint32_t *routes;       /* as they are now */
    uint32_t *kept;         /* the best so far */
    size_t routes_capacity; /* of each of the two */
    uint64_t floor;         /* no choice has a lower objective */
    uint64_t own_words;     /* of the longest message to oneself, when it is charged */

    struct hop *hop;
    size_t hop_capacity;
    uint32_t *all; /* every minimal route of every traveller */
    size_t all_capacity;
    struct load *saved; /* of the links of routes that are tried */
    size_t saved_capacity;
    int *walk;
    size_t walk_capacity;
};

/* ------------------------------------------------------------------ making one */

struct best *
best_create(const struct peal_pricing *pricing)
{
    struct best *best = calloc(1, sizeof *best);

    if (!best)
        return NULL;
    best->network = pricing->network;
    best->landscape = pricing->network->topology->landscape;
    best->volume = pricing->congestion == PEAL_VOLUME;
    best->forwarded = pricing->switching == PEAL_STORE_FORWARD;
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
    free(best->traveller);
    free(best->routes);
    free(best->kept);
    free(best->hop);
    free(best->all);
    free(best->saved);
    free(best->walk);
    free(best);
}

/* Make room for `count` entries of `bytes` in *array, which loses what it held; false without memory. */
static bool
reserve(void *array, size_t *capacity, size_t count, size_t bytes)
{
    void **memory = array;

    if (count <= *capacity)
        return true;
    free(*memory);
    *capacity = 0;
    *memory = malloc(count * bytes);
    if (!*memory)
        return false;
    *capacity = count;
    return true;
}

/* ------------------------------------------------------------------ prices */

static inline uint64_t
larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The price of a way with one more link, for a transfer of so many words that is not yet on it. */
static inline struct price
price_with(const struct best *best, struct price price, const struct load *load, uint64_t words)
{
    uint64_t sharing = (uint64_t)load->transfers + 1;
    uint64_t charge = best->volume      ? load->words + words
                      : best->forwarded ? sharing
                                        : larger(load->words, words) * sharing;

    if (best->forwarded)
        return (struct price){sum(price.charge, charge), 0};
    return (struct price){larger(price.charge, charge), price.loads + sharing};
}

static inline bool
cheaper(struct price a, struct price b)
{
    return a.charge != b.charge ? a.charge < b.charge : a.loads < b.loads;
}

static struct price
price_route(const struct best *best, uint64_t words, const uint32_t *route, int hops)
{
    struct price price = {0};

    for (int i = 0; i < hops; i++)
        price = price_with(best, price, &best->load[route[i]], words);
    return price;
}

static void
enter(const struct best *best, uint64_t words, const uint32_t *route, int hops)
{
    for (int i = 0; i < hops; i++) {
        struct load *load = &best->load[route[i]];

        load->transfers++;
        load->words = best->volume ? load->words + words : larger(load->words, words);
    }
}

static void
leave(const struct best *best, uint64_t words, const uint32_t *route, int hops)
{
    for (int i = 0; i < hops; i++) {
        struct load *load = &best->load[route[i]];

        load->words = --load->transfers == 0 ? 0 : best->volume ? load->words - words : load->words;
    }
}

static void
clear(const struct best *best, const uint32_t *links, size_t count)
{
    for (size_t i = 0; i < count; i++)
        best->load[links[i]] = (struct load){0};
}

/* What a traveller that is on its route charges. */
static uint64_t
charge_of(const struct best *best, const struct traveller *traveller, const uint32_t *route)
{
    uint64_t charge = 0;

    for (int i = 0; i < traveller->hops; i++) {
        const struct load *load = &best->load[route[i]];
        uint64_t on_link = best->volume ? load->words : load->transfers;

        charge = best->forwarded ? sum(charge, on_link) : larger(charge, on_link);
    }
    return best->volume ? charge : product(charge, traveller->words);
}

/* The objective, with all travellers on their routes. */
static uint64_t
objective(const struct best *best)
{
    uint64_t charge = best->own_words;

    for (size_t i = 0; i < best->traveller_count; i++)
        charge = larger(charge, charge_of(best, &best->traveller[i], best->routes + best->traveller[i].first));
    return charge;
}

/* ------------------------------------------------------------------ exact */

/* A traveller with all its minimal routes.  The links that they all share come first in each, and are loaded from the
 * beginning. */
struct chooser {
    struct traveller traveller;
    uint32_t *routes;
    int count, chosen;
    int shared;
    int twin; /* the last one before that goes the same way with as many words, or -1: never before its route */
};

/* A set of numbered links. */
struct links {
    uint64_t bits[NUMBERED / 64];
};

struct search {
    struct best *best;
    bool numbered; /* the links are not too many */
    struct links on_route[BEST_TRANSFERS][BEST_ROUTES];
    struct chooser chooser[BEST_TRANSFERS];
    int count;
    int kept[BEST_TRANSFERS];
    uint64_t limit; /* only a lower objective is of use */
};

static inline const uint32_t *
route_at(const struct chooser *chooser, int i)
{
    return chooser->routes + (size_t)i * (size_t)chooser->traveller.hops;
}

/* The price of links that the transfer is already on. */
static struct price
price_loaded(const struct best *best, const uint32_t *route, int hops)
{
    struct price price = {0};

    for (int i = 0; i < hops; i++) {
        const struct load *load = &best->load[route[i]];
        uint64_t charge = best->volume      ? load->words
                          : best->forwarded ? load->transfers
                                            : load->words * load->transfers;

        price.charge = best->forwarded ? sum(price.charge, charge) : larger(price.charge, charge);
    }
    return price;
}

/* What the chooser would charge on its i-th route, with those that are on theirs. */
static uint64_t
charge_on(const struct best *best, const struct chooser *chooser, int i)
{
    const uint32_t *route = route_at(chooser, i);
    struct price price = price_loaded(best, route, chooser->shared);

    for (int hop = chooser->shared; hop < chooser->traveller.hops; hop++)
        price = price_with(best, price, &best->load[route[hop]], chooser->traveller.words);
    return best->forwarded && !best->volume ? product(price.charge, chooser->traveller.words) : price.charge;
}

/* The objective of those that have chosen. */
static uint64_t
charge_so_far(const struct search *search, int chosen)
{
    uint64_t charge = search->best->floor;

    for (int i = 0; i < chosen; i++) {
        const struct chooser *chooser = &search->chooser[i];

        charge = larger(charge, charge_of(search->best, &chooser->traveller, route_at(chooser, chooser->chosen)));
    }
    return charge;
}

static void
blame_all(struct links *why)
{
    memset(why, 0xFF, sizeof *why);
}

/* Add the link because of which a route would charge the limit or more. */
static void
blame_route(const struct search *search, const struct chooser *chooser, int i, struct links *why)
{
    const struct best *best = search->best;
    const uint32_t *route = route_at(chooser, i);

    if (!search->numbered || best->forwarded) {
        blame_all(why);
        return;
    }
    for (int hop = chooser->shared; hop < chooser->traveller.hops; hop++) {
        const struct load *load = &best->load[route[hop]];

        if (price_with(best, (struct price){0}, load, chooser->traveller.words).charge >= search->limit) {
            why->bits[(load->number - 1) / 64] |= UINT64_C(1) << (load->number - 1) % 64;
            return;
        }
    }
}

/* Whether two routes of a chooser take the same of these links. */
static bool
alike(const struct links *a, const struct links *b, const struct links *of)
{
    for (int i = 0; i < NUMBERED / 64; i++)
        if ((a->bits[i] ^ b->bits[i]) & of->bits[i])
            return false;
    return true;
}

/* Whether each of those to come has a route that charges less than the limit; adds why not. */
static bool
hopeful(const struct search *search, int next, struct links *why)
{
    for (int i = next; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];
        int route = 0;

        while (route < chooser->count && charge_on(search->best, chooser, route) >= search->limit)
            route++;
        if (route < chooser->count)
            continue;
        for (route = 0; route < chooser->count; route++)
            blame_route(search, chooser, route, why);
        return false;
    }
    return true;
}

/* Search the choices of chooser `next` and those behind it; adds why there is none below the limit that is then. */
static void
choose_from(struct search *search, int next, struct links *why)
{
    struct best *best = search->best;
    struct chooser *chooser = &search->chooser[next];
    struct links reason[BEST_ROUTES];

    if (next == search->count) {
        search->limit = charge_so_far(search, next);
        for (int i = 0; i < next; i++)
            search->kept[i] = search->chooser[i].chosen;
        blame_all(why);
        return;
    }
    const struct traveller *traveller = &chooser->traveller;
    const struct links *on_route = search->on_route[next];
    struct load *saved = best->saved + traveller->first;
    int hops = traveller->hops - chooser->shared;
    int begin = chooser->twin < 0 ? 0 : search->chooser[chooser->twin].chosen;

    for (int i = begin; i < chooser->count && search->limit > best->floor; i++) {
        const uint32_t *route = route_at(chooser, i) + chooser->shared;
        int before = begin;

        while (before < i && !(search->numbered && alike(&on_route[before], &on_route[i], &reason[before])))
            before++;
        if (before < i) {
            reason[i] = reason[before]; /* which is in *why */
            continue;
        }
        memset(&reason[i], 0, sizeof reason[i]);
        if (charge_on(best, chooser, i) >= search->limit) {
            blame_route(search, chooser, i, &reason[i]);
        } else {
            chooser->chosen = i;
            for (int hop = 0; hop < hops; hop++)
                saved[hop] = best->load[route[hop]];
            enter(best, traveller->words, route, hops);
            if (charge_so_far(search, next + 1) >= search->limit)
                blame_all(&reason[i]);
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
number_links(struct search *search)
{
    uint32_t count = 0;

    memset(search->on_route, 0, sizeof search->on_route);
    search->numbered = true;
    for (int i = 0; i < search->count; i++)
        for (int route = 0; route < search->chooser[i].count; route++)
            for (int hop = search->chooser[i].shared; hop < search->chooser[i].traveller.hops; hop++) {
                struct load *load = &search->best->load[route_at(&search->chooser[i], route)[hop]];

                if (load->number == 0 && count == NUMBERED) {
                    search->numbered = false;
                    return;
                }
                load->number = load->number ? load->number : ++count;
                search->on_route[i][route].bits[(load->number - 1) / 64] |= UINT64_C(1) << (load->number - 1) % 64;
            }
}

/* Bring the links that all routes share to the front of each. */
static void
find_shared(struct chooser *chooser)
{
    int hops = chooser->traveller.hops;

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

/* List the minimal routes of all travellers.  *fit is false when they are too many to search. */
static bool
list_choices(struct search *search, bool *fit)
{
    struct best *best = search->best;
    uint32_t *routes;

    *fit = false;
    if (best->traveller_count > BEST_TRANSFERS)
        return true;
    if (!reserve(&best->all, &best->all_capacity, best->links * (BEST_ROUTES + 1), sizeof *best->all) ||
        !reserve(&best->walk, &best->walk_capacity, 2 * best->links, sizeof *best->walk) ||
        !reserve(&best->saved, &best->saved_capacity, best->links, sizeof *best->saved))
        return false;
    routes = best->all;
    search->count = (int)best->traveller_count;
    for (int i = 0; i < search->count; i++) {
        const struct traveller *traveller = &best->traveller[i];
        struct chooser *chooser = &search->chooser[i];

        *chooser = (struct chooser){.traveller = *traveller, .routes = routes, .twin = -1};
        for (int j = 0; j < i; j++)
            if (best->traveller[j].from == traveller->from && best->traveller[j].to == traveller->to &&
                best->traveller[j].words == traveller->words)
                chooser->twin = j;
        chooser->count = shortest_routes(best->network, best->landscape, traveller->from, traveller->to,
                                         BEST_ROUTES + 1, routes, best->walk);
        if (chooser->count > BEST_ROUTES)
            return true;
        find_shared(chooser);
        routes += (size_t)chooser->count * (size_t)traveller->hops;
    }
    *fit = true;
    return true;
}

/* Put the chosen routes into kept, their links in order. */
static void
keep_choice(const struct search *search)
{
    const struct best *best = search->best;

    for (int i = 0; i < search->count; i++) {
        const struct traveller *traveller = &search->chooser[i].traveller;
        int before = search->kept[i];

        shortest_routes(best->network, best->landscape, traveller->from, traveller->to, before + 1, best->all,
                        best->walk);
        memcpy(best->kept + traveller->first, best->all + (size_t)before * (size_t)traveller->hops,
               (size_t)traveller->hops * sizeof *best->kept);
    }
}

/* Load the links that the routes of a traveller share, of all travellers. */
static void
enter_shared(const struct search *search)
{
    for (int i = 0; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];

        enter(search->best, chooser->traveller.words, chooser->routes, chooser->shared);
    }
}

static void
clear_all(const struct search *search)
{
    for (int i = 0; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];

        clear(search->best, chooser->routes, (size_t)chooser->count * (size_t)chooser->traveller.hops);
    }
}

/* The objective when everybody takes the first route, which is the choice to begin with.  Raises the floor to what the
 * shared links charge. */
static uint64_t
choose_first(struct search *search)
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
        best->floor = larger(best->floor, least);
    }
    for (int i = 0; i < search->count; i++) {
        const struct chooser *chooser = &search->chooser[i];

        enter(best, chooser->traveller.words, chooser->routes + chooser->shared,
              chooser->traveller.hops - chooser->shared);
    }
    charge = charge_so_far(search, search->count);
    clear_all(search);
    return charge;
}

/* ------------------------------------------------------------------ heuristic */

/* The place for a way to the vertex among the `count` that are reached, of `width` at the most; -1 when all of these
 * are cheaper. */
static int
place_for(const struct reached *reached, int *count, int width, int vertex, struct price price)
{
    int dearest = 0;

    for (int i = 0; i < *count; i++) {
        if (reached[i].vertex == vertex)
            return cheaper(price, reached[i].price) ? i : -1;
        dearest = cheaper(reached[i].price, reached[dearest].price) ? dearest : i;
    }
    if (*count < width)
        return (*count)++;
    return cheaper(price, reached[dearest].price) ? dearest : -1;
}

/* Find a cheap route through the loads as they are; gives its price.  best->hop has width · hops entries. */
static struct price
find_route(const struct best *best, const struct traveller *traveller, int width, uint32_t *route)
{
    struct reached layers[2][WIDTH], *here = layers[0], *next = layers[1];
    int count = 1;

    here[0] = (struct reached){traveller->from, {0, 0}};
    for (int left = traveller->hops - 1; left >= 0; left--) {
        struct hop *hop = best->hop + (traveller->hops - 1 - left) * width;
        struct reached *swap = here;
        struct step step;
        int found = 0;

        for (int i = 0; i < count; i++)
            for (int place = 0;
                 shortest_step(best->network, best->landscape, here[i].vertex, traveller->to, left, &place, &step);) {
                struct price price = price_with(best, here[i].price, &best->load[step.link], traveller->words);
                int to = place_for(next, &found, width, step.vertex, price);

                if (to >= 0) {
                    next[to] = (struct reached){step.vertex, price};
                    hop[to] = (struct hop){step.link, (uint32_t)i};
                }
            }
        here = next;
        next = swap;
        count = found;
    }
    for (uint32_t i = (uint32_t)traveller->hops, place = 0; i-- > 0;) {
        const struct hop *hop = best->hop + i * (uint32_t)width + place;

        route[i] = hop->link;
        place = hop->place;
    }
    return here[0].price;
}

/* Let a traveller, which is on no route, take a cheap one, or `old` when that is as cheap; false for `old`. */
static bool
take_route(const struct best *best, const struct traveller *traveller, int width, const uint32_t *old)
{
    uint32_t *route = best->routes + traveller->first;
    struct price price = find_route(best, traveller, width, route);
    bool stays = old && !cheaper(price, price_route(best, traveller->words, old, traveller->hops));

    if (stays)
        memcpy(route, old, (size_t)traveller->hops * sizeof *route);
    enter(best, traveller->words, route, traveller->hops);
    return !stays;
}

/* Keep the routes as they are if that charges less than *charge. */
static void
keep_cheaper(struct best *best, uint64_t *charge)
{
    uint64_t now = objective(best);

    if (now >= *charge)
        return;
    *charge = now;
    memcpy(best->kept, best->routes, best->links * sizeof *best->kept);
}

/* Make the loads exact again: leave() does not know who has the longest words of those that stay. */
static void
load_again(const struct best *best)
{
    clear(best, best->routes, best->links);
    for (size_t i = 0; i < best->traveller_count; i++) {
        const struct traveller *traveller = &best->traveller[i];

        enter(best, traveller->words, best->routes + traveller->first, traveller->hops);
    }
}

static int
compare_travellers(const void *a, const void *b)
{
    const struct traveller *x = a, *y = b;

    if (x->words != y->words)
        return x->words < y->words ? 1 : -1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Find good routes and put them into kept; gives their objective in *charge. */
static bool
search_roughly(struct best *best, uint64_t *charge)
{
    size_t total = best->links, longest = 0;
    int width = total * WIDTH <= BEST_HOPS ? WIDTH : (int)(BEST_HOPS / total);
    bool moved = true;

    for (size_t i = 0; i < best->traveller_count; i++) {
        const struct traveller *traveller = &best->traveller[i];

        network_own_route(best->network, traveller->from, traveller->to, best->routes + traveller->first);
        enter(best, traveller->words, best->routes + traveller->first, traveller->hops);
        longest = larger(longest, (uint64_t)traveller->hops);
    }
    *charge = objective(best);
    memcpy(best->kept, best->routes, total * sizeof *best->kept);
    clear(best, best->routes, total);
    if (*charge <= best->floor)
        return true;
    if (!reserve(&best->hop, &best->hop_capacity, longest * (size_t)width, sizeof *best->hop) ||
        !reserve(&best->walk, &best->walk_capacity, 2 * longest, sizeof *best->walk))
        return false;
    qsort(best->traveller, best->traveller_count, sizeof *best->traveller, compare_travellers);
    for (size_t i = 0; i < best->traveller_count; i++)
        take_route(best, &best->traveller[i], width, NULL);
    keep_cheaper(best, charge);
    for (int pass = 0; pass < PASSES && moved && *charge > best->floor; pass++) {
        moved = false;
        load_again(best);
        for (size_t i = 0; i < best->traveller_count; i++) {
            const struct traveller *traveller = &best->traveller[i];
            uint32_t *old = (uint32_t *)best->walk;

            memcpy(old, best->routes + traveller->first, (size_t)traveller->hops * sizeof *old);
            leave(best, traveller->words, old, traveller->hops);
            moved = take_route(best, traveller, width, old) || moved;
        }
        keep_cheaper(best, charge);
    }
    clear(best, best->routes, total);
    return true;
}

/* ------------------------------------------------------------------ a round */

/* List who takes a route; gives their hops in all, and the objective that nothing is below. */
static bool
list_travellers(struct best *best, struct peal_transfer *transfers, size_t count)
{
    if (!reserve(&best->traveller, &best->traveller_capacity, count, sizeof *best->traveller))
        return false;
    best->traveller_count = best->links = 0;
    best->own_words = 0;
    best->floor = 0;
    for (size_t i = 0; i < count && best->links <= BEST_HOPS; i++) {
        struct peal_transfer *transfer = &transfers[i];
        uint64_t words = transfer->words < most_words ? transfer->words : most_words;
        int hops = peal_network_distance(best->network, transfer->from, transfer->to);

        transfer->hops = (uint32_t)hops;
        if (hops == 0) {
            best->own_words = best->forwarded ? 0 : larger(best->own_words, words);
            continue;
        }
        best->traveller[best->traveller_count++] =
            (struct traveller){words, transfer->from, transfer->to, hops, (uint32_t)i, best->links};
        best->links += (size_t)hops;
        best->floor = larger(best->floor, best->forwarded ? product(words, (uint64_t)hops) : words);
    }
    best->floor = larger(best->floor, best->own_words);
    return true;
}

bool
best_choose(struct best *best, struct peal_transfer *transfers, size_t count, const uint32_t **routes, size_t *links)
{
    struct search search;
    struct links why;
    uint64_t charge, first;
    bool exact;

    *routes = NULL;
    *links = 0;
    if (!list_travellers(best, transfers, count))
        return false;
    if (best->links > BEST_HOPS)
        return true;
    if (best->links > best->routes_capacity) {
        size_t room[2] = {0, 0};

        best->routes_capacity = 0;
        if (!reserve(&best->routes, &room[0], best->links, sizeof *best->routes) ||
            !reserve(&best->kept, &room[1], best->links, sizeof *best->kept))
            return false;
        best->routes_capacity = best->links;
    }
    *routes = best->kept;
    *links = best->links;
    search.best = best;
    memset(search.kept, 0, sizeof search.kept);
    if (!list_choices(&search, &exact))
        return false;
    if (!exact)
        return search_roughly(best, &charge);
    first = choose_first(&search);
    if (first > best->floor) {
        if (!search_roughly(best, &charge))
            return false;
        search.limit = charge < first ? charge + 1 : first;
        enter_shared(&search);
        number_links(&search);
        memset(&why, 0, sizeof why);
        choose_from(&search, 0, &why);
        clear_all(&search);
    }
    keep_choice(&search);
    return true;
}
