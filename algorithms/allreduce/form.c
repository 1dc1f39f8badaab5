/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank, (void)part;
    *origin = (struct peal_origin){.first = 0, .last = layout->nodes - 1, .words = layout->words};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL)
        callee->function->allreduce(me, x->op, x->out, x->words);
    else
        peal_allreduce_by(me, callee->algorithm, x->op, x->out, x->words);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "Chan et al. 2007");
    demand->total_words *= 2; /* one-way gossip */
}

/* Every node gets the combination of all vectors. */
const struct peal_form allreduce_form = {
    .name = "allreduce",
    .done = "hold the combined vector",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .op = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
