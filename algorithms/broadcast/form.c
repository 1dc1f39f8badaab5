/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank, (void)part;
    *origin = (struct peal_origin){.first = layout->root, .last = layout->root, .words = layout->words};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL)
        callee->function->broadcast(me, x->out, x->words, x->root);
    else
        peal_broadcast_by(me, callee->algorithm, x->out, x->words, x->root);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "Tvrdík, PDP course, Lemmas 1 and 4");
}

/* Every node gets the root's vector. */
const struct peal_form broadcast_form = {
    .name = "broadcast",
    .done = "hold the vector",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_AT_ROOT,
    .root = true,
    .from_root = true,
    .file = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
