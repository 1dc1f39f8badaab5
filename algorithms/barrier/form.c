/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    (void)x;
    if (callee->function != NULL)
        callee->function->barrier(me);
    else
        peal_barrier_by(me, callee->algorithm);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    (void)situation;
    *demand = (struct peal_demand){.source = "nodes a message can tell, (k+1)-fold a round"};
}

/* Nobody returns before all have called. */
const struct peal_form barrier_form = {
    .name = "barrier",
    .done = "came through the barrier",
    .waits = true,
    .call = call,
    .demand = demand,
};
