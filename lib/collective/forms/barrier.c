/* SPDX-License-Identifier: MIT */
/* The row of the barrier, which has no data: no node returns before all have called.  What it costs is a rule of the
 * machine, not a choice. */
#include "lib/collective/fronts.h"

RUNS(barrier, me);

static void
barrier_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    (void)situation;
    *demand = (struct peal_demand){.source = "each round a message reaches at most k+1 times as many nodes"};
}

const struct peal_form barrier_form = {
    .name = "barrier",
    .done = "came through the barrier",
    .waits = true,
    .run = run,
    .call = call,
    .demand = barrier_demand,
    .chosen = "dissemination",
};

void
peal_barrier_at(struct peal_node *me, const char *algorithm, const char *file, int line)
{
    const struct call_site site = passed_place(me, __builtin_return_address(0), file, line);

    front(me, &barrier_form, algorithm, (struct peal_arguments){0}, site.file, site.line);
}
