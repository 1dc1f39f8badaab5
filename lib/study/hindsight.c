/* SPDX-License-Identifier: MIT */
/* Looks at the recorded rounds of a run again, within bounds of work: its links, and its cost by other routes. */
#include "lib/study/hindsight.h"
#include "lib/record/record.h"
#include <stdlib.h>
#include <string.h>

/* Limits of work: steps of routes that are walked, and transfers that are priced by the best routes. */
enum { MAX_STEPS = 1 << 24, MAX_BEST = 20000 };

/* Whether the schedule is complete: with fewer rounds kept there is nothing to walk or to price. */
static bool
is_whole(const struct peal_machine *machine)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    struct peal_cost sum = {0, 0, 0, 0};

    for (size_t i = 0; i < schedule->round_count; i++)
        sum = peal_cost_add(sum, peal_schedule_round(schedule, i)->charge);
    return peal_machine_options(machine)->rounds == PEAL_ROUNDS_ALL && peal_cost_equal(sum, peal_machine_cost(machine));
}

/* ------------------------------------------------------------------ hottest links */

/* Add the traffic of every link of the transfer's route; `path` has room for it.  False when out of memory. */
static bool
walk_route(const struct peal_network *network, const struct peal_transfer *transfer, int *path, struct links *loads)
{
    int hops = transfer->hops ? peal_network_path(network, transfer->from, transfer->to, path) : 0;

    for (int i = 0; i < hops; i++) {
        struct link *load = peal_links_use(loads, network, path[i], path[i + 1]);

        if (!load)
            return false;
        load->words += transfer->words;
        load->transfers++;
    }
    return true;
}

static bool
walk_routes(const struct peal_machine *machine, struct links *loads)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    uint32_t longest = 0;

    for (size_t i = 0; i < schedule->kept_transfers; i++)
        longest = schedule->transfers[i].hops > longest ? schedule->transfers[i].hops : longest;
    int *path = malloc(((size_t)longest + 1) * sizeof *path);
    bool ok = path != NULL;

    for (size_t i = 0; i < schedule->round_count && ok; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t j = round->first; j < round->first + round->count && ok; j++)
            ok = walk_route(peal_machine_network(machine), &schedule->transfers[j], path, loads);
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
        const struct peal_round *round = peal_schedule_round(schedule, i);
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
    for (size_t i = 0; i < schedule->round_count && steps <= MAX_STEPS; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t j = round->first; j < round->first + round->count; j++)
            steps += schedule->transfers[j].hops + 1;
    }
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
    struct peal_schedule copy;
    bool ok = schedule_copy(&copy, was) && network && peal_price(&pricing, &copy, cost, NULL) == PEAL_OK;

    free(copy.order);
    free(copy.rounds);
    free(copy.transfers);
    peal_network_destroy(network);
    return ok;
}
