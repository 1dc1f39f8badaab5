/* SPDX-License-Identifier: MIT */
/* Charging a recorded schedule again, on any network and by any rules. */
#include "lib/cost/charge.h"
#include <inttypes.h>
#include <peal/network.h>

static bool
has_node(const struct peal_network *network, int32_t node)
{
    return node >= 0 && node < peal_network_nodes(network);
}

/* The number in the run, from 1, of the first round that is this kept one. */
static size_t
number_in_run(const struct peal_schedule *schedule, size_t kept)
{
    size_t i = 0;

    while (i < schedule->round_count && schedule->order[i] != kept)
        i++;
    return i + 1;
}

static enum peal_status
price_check_nodes(const struct peal_network *network, const struct peal_schedule *schedule, struct peal_error *error)
{
    for (size_t i = 0; i < schedule->kept_rounds; i++) {
        const struct peal_round *round = &schedule->rounds[i];

        for (size_t j = round->first; j < round->first + round->count; j++) {
            const struct peal_transfer *transfer = &schedule->transfers[j];

            if (!has_node(network, transfer->from) || !has_node(network, transfer->to))
                return peal_refuse(error, PEAL_USAGE,
                                   "round %zu has a transfer from node %d to %d: %s has nodes 0 to %d",
                                   number_in_run(schedule, i), transfer->from, transfer->to, peal_network_name(network),
                                   peal_network_nodes(network) - 1);
        }
    }
    return PEAL_OK;
}

static enum peal_status
price_check_counted(struct peal_cost charge, struct peal_cost total, size_t round, struct peal_error *error)
{
    const char *what = peal_cost_counted(charge) ? "the cost up to round" : "the charge of round";

    if (peal_cost_counted(total))
        return PEAL_OK;
    return peal_refuse(error, PEAL_USAGE, "%s %zu is too large to count: a coefficient is at most %" PRId64, what,
                       round, INT64_MAX - 1);
}

enum peal_status
peal_price(const struct peal_pricing *pricing, struct peal_schedule *schedule, struct peal_cost *total,
           struct peal_error *error)
{
    struct charger charger = {0};
    enum peal_status status = price_check_nodes(pricing->network, schedule, error);

    *total = (struct peal_cost){0};
    if (!status)
        status = charger_init(&charger, pricing, error);
    for (size_t i = 0; !status && i < schedule->kept_rounds; i++) {
        struct peal_round *round = &schedule->rounds[i];
        int64_t tau = round->charge.tau;

        if (!charge_round(&charger, schedule->transfers + round->first, round->count, &round->charge))
            status = peal_refuse(error, PEAL_RESOURCES, "not enough memory to route round %zu of %zu transfers",
                                 number_in_run(schedule, i), round->count);
        round->charge.tau = tau;
    }
    for (size_t i = 0; !status && i < schedule->round_count; i++) {
        struct peal_cost charge = peal_schedule_round(schedule, i)->charge;

        *total = peal_cost_add(*total, charge);
        status = price_check_counted(charge, *total, i + 1, error);
    }
    charger_fini(&charger);
    return status;
}
