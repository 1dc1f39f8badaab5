/* SPDX-License-Identifier: MIT */
/* Data shared by the two searches of routing best: the transfers, the loads of links and their prices. */
#pragma once

#include "lib/cost/arithmetic.h"
#include "lib/cost/best.h"
#include "lib/network/shortest.h"

/* The load of a link. */
struct load {
    uint64_t words; /* the sum under PEAL_VOLUME, else the longest (or longer, when that one has left) */
    uint32_t transfers;
    uint32_t number; /* in a search, from 1 */
};

/* The charge of a route: the first decides, the second among equals. */
struct price {
    uint64_t charge, loads;
};

/* A transfer that takes a route. */
struct routed_transfer {
    uint64_t words;
    int from, to, hops;
    uint32_t index; /* in the round */
    size_t first;   /* its route is routes[first .. first + hops) */
};

struct hop;
struct link_search;

struct best {
    const struct peal_network *placed, *network; /* of the nodes, and of their hosts */
    const struct route_graph *route_graph;
    bool volume, forwarded;
    const uint32_t *capacity; /* of each wire; NULL: 1 */
    uint32_t widest;          /* the largest */
    struct load *load;        /* all zero between rounds */

    struct routed_transfer *routed; /* in the order of admission, then in the order in which they choose */
    size_t routed_count, routed_capacity;
    size_t links;           /* of all routes */
    uint32_t *routes;       /* as they are now */
    uint32_t *kept;         /* the best so far */
    size_t routes_capacity; /* of each of the two */
    uint64_t floor;         /* no choice has a lower objective */
    uint64_t own_words;     /* of the longest message to oneself, when it is charged */

    struct hop *hop; /* of the heuristic */
    size_t hop_capacity;
    uint32_t *all; /* every minimal route of every transfer */
    size_t all_capacity;
    struct load *saved; /* of the links of routes that are tried */
    size_t saved_capacity;
    struct link_search *search; /* made for the first small round */
    int *walk;
    size_t walk_capacity;
};

/* ------------------------------------------------------------------ prices */

static inline uint64_t
max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The number of wires of the link with this load. */
static inline uint32_t
wires_of(const struct best *best, const struct load *load)
{
    return best->capacity ? best->capacity[(load - best->load) / 2] : 1;
}

/* The price of a way with one more link, for a transfer of this many words that is not yet on it. */
static inline struct price
price_with(const struct best *best, struct price price, const struct load *load, uint64_t words)
{
    uint32_t wires = wires_of(best, load);
    uint64_t sharing = network_share((uint64_t)load->transfers + 1, wires);
    uint64_t charge = best->volume      ? network_share(load->words + words, wires)
                      : best->forwarded ? sharing
                                        : max_u64(load->words, words) * sharing;

    if (best->forwarded)
        return (struct price){saturating_sum(price.charge, charge), 0};
    return (struct price){max_u64(price.charge, charge), price.loads + sharing};
}

static inline void
best_enter_route(const struct best *best, uint64_t words, const uint32_t *route, int hops)
{
    for (int i = 0; i < hops; i++) {
        struct load *load = &best->load[route[i]];

        load->transfers++;
        load->words = best->volume ? load->words + words : max_u64(load->words, words);
    }
}

static inline void
best_clear_links(const struct best *best, const uint32_t *links, size_t count)
{
    for (size_t i = 0; i < count; i++)
        best->load[links[i]] = (struct load){0};
}

/* The charge of a transfer that is on its route. */
static inline uint64_t
routed_charge(const struct best *best, const struct routed_transfer *routed, const uint32_t *route)
{
    uint64_t charge = 0;

    for (int i = 0; i < routed->hops; i++) {
        const struct load *load = &best->load[route[i]];
        uint64_t on_link = network_share(best->volume ? load->words : load->transfers, wires_of(best, load));

        charge = best->forwarded ? saturating_sum(charge, on_link) : max_u64(charge, on_link);
    }
    return best->volume ? charge : saturating_product(charge, routed->words);
}

/* ------------------------------------------------------------------ exact (best_search.c) */

/* List the minimal routes of all transfers in best->search; *fit is false when they are too many to search.
 *
 *   errors   false without memory       */
bool search_begin(struct best *best, bool *fit);

/* The objective when every transfer takes its first route, the initial choice.  Raises the floor to the charge of the
 * shared links. */
uint64_t search_first(struct link_search *search);

/* Find the first choice below the limit that no other is below, if there is one. */
void search_exactly(struct link_search *search, uint64_t limit);

/* Store the chosen routes in kept, their links in order. */
void search_keep(const struct link_search *search);
