/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = 0, .last = rank, .words = layout->words};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL)
        callee->function->scan(me, x->op, x->out, x->words);
    else
        peal_scan_by(me, callee->algorithm, x->op, x->out, x->words);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "as a broadcast, backwards: the last node hears of all");
}

/* Node i gets the combination of the vectors of the nodes 0 .. i. */
const struct peal_form scan_form = {
    .name = "scan",
    .done = "hold the sum of the ranks up to theirs",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .op = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
