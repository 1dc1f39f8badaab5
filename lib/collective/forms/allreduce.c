/* SPDX-License-Identifier: MIT */
/* The row of all-reduce: every node gets the combination of all vectors. */
#include "lib/collective/fronts.h"

static void
allreduce_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank, (void)part;
    *origin = (struct peal_origin){.first = 0, .last = layout->nodes - 1, .words = layout->words};
}

static void
allreduce_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "Chan et al. 2007");
    demand->total_words *= 2; /* one-way gossip */
}

RUNS(allreduce, me, x->op, x->out, x->words);

const struct peal_form allreduce_form = {
    .name = "allreduce",
    .done = "hold the combined vector",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .op = true,
    .origin = allreduce_origin,
    .run = run,
    .call = call,
    .demand = allreduce_demand,
};

FRONT(peal_allreduce_at, allreduce_form, (const struct peal_op *op, void *a, size_t n), .op = op, .out = a, .words = n);
