/* SPDX-License-Identifier: MIT */
/* Charging one round: routes its transfers, counts how many share each link, and computes the round's charge. */
#pragma once

#include <peal/cost.h>

/* Scratch memory, reused from round to round.  Zeroed is empty. */
struct charger {
    struct peal_pricing pricing;
    /* private to charge.c */
    struct charge_scratch *scratch;
};

/* Make a charger; the network is borrowed until charger_fini.
 *
 *   owner    charger_fini gives it back, also of a zeroed charger
 *   errors   PEAL_RESOURCES without memory                      */
enum peal_status charger_init(struct charger *charger, const struct peal_pricing *pricing, struct peal_error *error);
void charger_fini(struct charger *charger);

/* Fill hops and k of the transfers of one round and give its charge (tau 0; all 0 without transfers).  Linear in the
 * transfers and the hops; allocates nothing when an earlier round was as large.  A charge too large to count is
 * INT64_MAX (peal_cost_counted).
 *
 *   errors   false without memory: nothing was charged, and the charger is as before */
bool charge_round(struct charger *charger, struct peal_transfer *transfers, size_t count, struct peal_cost *charge);

/* The cost of the i-th transfer of the last charged round alone, α plus its own words and hops (design: the critical
 * path): never more than the round was charged. */
struct peal_cost charge_alone(const struct charger *charger, const struct peal_transfer *transfers, size_t i);

/* Whether transfers of equal words and hops cost the same alone.  They do not where a message is spread over the wires
 * of a link. */
bool charge_alike(const struct charger *charger);
