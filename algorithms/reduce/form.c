/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    if (rank == layout->root)
        *origin = (struct peal_origin){.first = 0, .last = layout->nodes - 1, .words = layout->words};
    else
        *origin = (struct peal_origin){.first = rank, .last = rank, .words = layout->words, .kept = true};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL)
        callee->function->reduce(me, x->op, x->out, x->words, x->root);
    else
        peal_reduce_by(me, callee->algorithm, x->op, x->out, x->words, x->root);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "Tvrdík, PDP course, Lemmas 1 and 4, reversed");
}

/* The root gets the combination of all vectors; the others keep theirs. */
const struct peal_form reduce_form = {
    .name = "reduce",
    .done = "are right: the root holds the combined vector",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .root = true,
    .op = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
