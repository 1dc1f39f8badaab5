/* SPDX-License-Identifier: MIT */
/* What the recorded rounds of a run reveal afterwards. */
#pragma once

#include "lib/record/links.h"
#include <peal/machine.h>

/* Give the links that the machine's last run used, those with the most words first: their words and transfers (0 with
 * the routing "best", which splits messages), and the rounds in which each was the hottest.  None for a run of one
 * round, for one with rounds that were not kept, and where that is too much work.
 *
 *   owner    the caller frees them with peal_links_fini */
PEAL_PRIVATE void peal_link_loads(const struct peal_machine *machine, struct links *loads);

/* Price the rounds of the machine's last run as if messages went by another routing.  False where that is not known:
 * the network does not have it, the rounds were not kept, it is too much work, or, with all ports, routes decide which
 * node sends when. */
PEAL_PRIVATE bool peal_price_rerouted(const struct peal_machine *machine, const char *routing, struct peal_cost *cost);
