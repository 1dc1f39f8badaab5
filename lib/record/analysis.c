/* SPDX-License-Identifier: MIT */
/* The analysis of a recorded schedule: the hottest link of a round, and where the time went. */
#include "lib/cost/arithmetic.h"
#include "lib/cost/best.h"
#include "lib/record/links.h"
#include <peal/trace.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the hottest link */

/* `b` is NULL for the first link. */
static bool
hotter(const struct link *a, const struct link *b)
{
    uint64_t k[2] = {network_share(a->transfers, a->capacity), b ? network_share(b->transfers, b->capacity) : 0};
    uint64_t words[2] = {network_share(a->words, a->capacity), b ? network_share(b->words, b->capacity) : 0};

    return k[0] > k[1] || (k[0] == k[1] && words[0] > words[1]);
}

/* The routes of a round's transfers, one after the other. */
struct routes {
    const struct peal_network *network;
    struct best *best;     /* of routing best: chosen together */
    const uint32_t *links; /* by best, in sequence; NULL: each transfer takes the network's route */
    size_t at;
    struct peal_transfer *transfers; /* best's copy */
    int *path;                       /* the vertices of one route */
};

static bool
routes_init(struct routes *routes, const struct peal_pricing *pricing, const struct peal_transfer *transfers,
            size_t count)
{
    const struct peal_network *network = pricing->network;
    size_t links;

    *routes = (struct routes){.network = network};
    routes->path = malloc(((size_t)peal_network_diameter(network) + 1) * sizeof *routes->path);
    if (!routes->path || !network->best || !network_hosts(network)->topology->route_graph || count == 0)
        return routes->path != NULL;
    routes->best = best_create(pricing);
    routes->transfers = malloc(count * sizeof *transfers);
    if (!routes->best || !routes->transfers)
        return false;
    memcpy(routes->transfers, transfers, count * sizeof *transfers);
    return best_choose(routes->best, routes->transfers, count, &routes->links, &links);
}

static void
routes_fini(struct routes *routes)
{
    best_destroy(routes->best);
    free(routes->transfers);
    free(routes->path);
}

/* Put the vertices of the next transfer's route into routes->path; returns its hops. */
static int
routes_next(struct routes *routes, const struct peal_transfer *transfer)
{
    int hops = peal_network_distance(routes->network, transfer->from, transfer->to);

    if (!routes->links)
        return peal_network_path(routes->network, transfer->from, transfer->to, routes->path);
    for (int hop = 0; hop < hops; hop++)
        routes->network->topology->ends(routes->network, routes->links[routes->at++], &routes->path[hop],
                                        &routes->path[hop + 1]);
    return hops;
}

enum peal_status
peal_hottest_link(const struct peal_pricing *pricing, const struct peal_transfer *transfers, size_t count,
                  struct peal_hot_link *link, struct peal_error *error)
{
    const struct link *hottest = NULL;
    struct links links = {0};
    struct routes routes;
    bool ok = routes_init(&routes, pricing, transfers, count);

    *link = (struct peal_hot_link){0};
    for (size_t i = 0; ok && i < count; i++) {
        int hops = routes_next(&routes, &transfers[i]);

        for (int hop = 0; hop < hops; hop++) {
            struct link *used = peal_links_use(&links, pricing->network, routes.path[hop], routes.path[hop + 1]);

            if (!(ok = used != NULL))
                break;
            used->transfers++;
            used->words = saturating_sum(used->words, transfers[i].words);
        }
    }
    for (size_t i = 0; i < links.count;
         i++) /* in the order of their first use: among equals the one met first is kept */
        if (hotter(&links.links[i], hottest))
            hottest = &links.links[i];
    if (ok && hottest)
        *link =
            (struct peal_hot_link){hottest->from, hottest->to, hottest->words, hottest->transfers, hottest->capacity};
    peal_links_fini(&links);
    routes_fini(&routes);
    return ok ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory to find the hottest link");
}

enum peal_status
peal_round_routes(const struct peal_pricing *pricing, const struct peal_transfer *transfers, size_t count,
                  peal_route_visitor visit, void *context, struct peal_error *error)
{
    struct routes routes;
    bool ok = routes_init(&routes, pricing, transfers, count);

    for (size_t i = 0; ok && i < count; i++) {
        int hops = routes_next(&routes, &transfers[i]);

        routes.path[0] = network_vertex(pricing->network, transfers[i].from);
        visit(context, i, routes.path, hops);
    }
    routes_fini(&routes);
    return ok ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory to find the routes of a round");
}

/* ------------------------------------------------------------------ where the time went */

/* The part of a round's β that its longest message takes, and that which the most words times hops of one take. */
static void
lengths_of(const struct peal_schedule *schedule, const struct peal_round *round, bool forwarded, int64_t *longest,
           int64_t *farthest)
{
    uint64_t words = 0, word_hops = 0;

    for (size_t i = round->first; i < round->first + round->count; i++) {
        const struct peal_transfer *t = &schedule->transfers[i];
        uint64_t hops = forwarded ? t->hops : 1, forward = saturating_product(t->words, hops);

        words = t->words > words && hops > 0 ? t->words : words;
        word_hops = forward > word_hops ? forward : word_hops;
    }
    /* less is charged for a message that is spread over the wires of a link */
    *longest = words < (uint64_t)round->charge.beta ? (int64_t)words : round->charge.beta;
    *farthest = word_hops < (uint64_t)round->charge.beta ? (int64_t)word_hops : round->charge.beta;
}

struct peal_breakdown
peal_where_time_went(const struct peal_schedule *schedule, enum peal_switching switching)
{
    struct peal_cost all = {0}, beta = {0}; /* beta's coefficients are parts of β: volume, longer routes, congestion */

    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);
        int64_t longest, farthest;

        lengths_of(schedule, round, switching == PEAL_STORE_FORWARD, &longest, &farthest);
        all = peal_cost_add(all, round->charge);
        beta = peal_cost_add(beta, (struct peal_cost){longest, farthest - longest, round->charge.beta - farthest, 0});
    }
    return (struct peal_breakdown){
        .startups = all.alpha,
        .volume = beta.alpha,
        .longer_routes = beta.beta,
        .congestion = beta.hop,
        .distance = all.hop,
        .compute = all.tau,
    };
}
