/* SPDX-License-Identifier: MIT */
/* Looks at the recorded rounds of a run again, within bounds of work: its links, and its cost by other routes. */
#include "lib/study/hindsight.h"
#include <peal/tools.h>
#include <stdlib.h>
#include <string.h>

/* The most work: steps of routes that are walked, transfers that are priced by the best routes. */
enum { MAX_STEPS = 1 << 24, MAX_BEST = 20000 };

/* Whether the schedule is complete: with fewer rounds kept there is nothing to walk or to price. */
static bool
is_whole(const struct peal_machine *machine)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    struct peal_cost sum = {0, 0, 0, 0};

    for (size_t i = 0; i < schedule->round_count; i++)
        sum = peal_cost_add(sum, schedule->rounds[i].charge);
    return peal_machine_options(machine)->rounds == PEAL_ROUNDS_ALL && peal_cost_equal(sum, peal_machine_cost(machine));
}

/* ------------------------------------------------------------------ hottest links */

/* Add the traffic of every link of every route.  False when out of memory. */
static bool
walk_routes(const struct peal_machine *machine, struct links *loads)
{
    const struct peal_network *network = peal_machine_network(machine);
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    uint32_t longest = 0;

    for (size_t i = 0; i < schedule->transfer_count; i++)
        longest = schedule->transfers[i].hops > longest ? schedule->transfers[i].hops : longest;
    int *path = malloc(((size_t)longest + 1) * sizeof *path);
    bool ok = path != NULL;

    for (size_t i = 0; i < schedule->transfer_count && ok; i++) {
        const struct peal_transfer *t = &schedule->transfers[i];
        int hops = t->hops ? peal_network_path(network, t->from, t->to, path) : 0;

        for (int j = 0; j < hops && ok; j++) {
            struct link *load = peal_links_use(loads, network, path[j], path[j + 1]);

            ok = load != NULL;
            if (ok) {
                load->words += t->words;
                load->transfers++;
            }
        }
    }
    free(path);
    return ok;
}

/* Count for each link the rounds in which it was the hottest. */
static bool
count_hottest(const struct peal_machine *machine, struct links *loads)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    const struct peal_options *options = peal_machine_options(machine);
    struct peal_pricing pricing = {peal_machine_network(machine), options->switching, options->congestion};

    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = &schedule->rounds[i];
        struct peal_hot_link link;

        if (round->count == 0)
            continue;
        if (peal_hottest_link(&pricing, &schedule->transfers[round->first], round->count, &link, NULL) != PEAL_OK)
            return false;
        if (link.transfers == 0)
            continue;
        struct link *load = peal_links_use(loads, pricing.network, link.from, link.to);

        if (!load)
            return false;
        load->hottest++;
    }
    return true;
}

/* The most words first, then the most transfers, then the ranks. */
static int
compare_loads(const void *one, const void *other)
{
    const struct link *a = one, *b = other;

    if (a->words != b->words)
        return a->words > b->words ? -1 : 1;
    if (a->transfers != b->transfers)
        return a->transfers > b->transfers ? -1 : 1;
    if (a->hottest != b->hottest)
        return a->hottest > b->hottest ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

void
peal_link_loads(const struct peal_machine *machine, struct links *loads)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    bool words_known = strcmp(peal_network_routing(peal_machine_network(machine)), "best") != 0;
    uint64_t steps = 0;

    *loads = (struct links){0};
    for (size_t i = 0; i < schedule->transfer_count; i++)
        steps += schedule->transfers[i].hops + 1;
    if (is_whole(machine) && schedule->round_count > 1 && steps <= MAX_STEPS &&
        (!words_known || walk_routes(machine, loads)) && count_hottest(machine, loads))
        qsort(loads->links, loads->count, sizeof *loads->links, compare_loads);
    else
        peal_links_fini(loads);
}

/* ------------------------------------------------------------------ other routes */

bool
peal_price_rerouted(const struct peal_machine *machine, const char *routing, struct peal_cost *cost)
{
    const struct peal_schedule *was = peal_machine_schedule(machine);
    const struct peal_options *options = peal_machine_options(machine);
    const struct peal_network *here = peal_machine_network(machine);

    if (options->ports == PEAL_PORTS_ALL || !is_whole(machine) ||
        (strcmp(routing, "best") == 0 && was->transfer_count > MAX_BEST))
        return false;
    struct peal_network *network =
        peal_network_create(peal_network_name(here), peal_network_nodes(here), routing, NULL);
    struct peal_pricing pricing = {network, options->switching, options->congestion};
    struct peal_schedule copy = {was->round_count, was->transfer_count,
                                 malloc((was->round_count + 1) * sizeof *copy.rounds),
                                 malloc((was->transfer_count + 1) * sizeof *copy.transfers)};
    bool ok = network && copy.rounds && copy.transfers;

    if (ok && was->round_count > 0)
        memcpy(copy.rounds, was->rounds, was->round_count * sizeof *copy.rounds);
    if (ok && was->transfer_count > 0)
        memcpy(copy.transfers, was->transfers, was->transfer_count * sizeof *copy.transfers);
    ok = ok && peal_price(&pricing, &copy, cost, NULL) == PEAL_OK;
    free(copy.rounds);
    free(copy.transfers);
    peal_network_destroy(network);
    return ok;
}
