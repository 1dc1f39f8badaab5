/* SPDX-License-Identifier: MIT */
/* The row of reduce: the root gets the combination of all vectors; the others keep theirs. */
#include "lib/collective/fronts.h"

static void
reduce_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    if (rank == layout->root)
        *origin = (struct peal_origin){.first = 0, .last = layout->nodes - 1, .words = layout->words};
    else
        *origin = (struct peal_origin){.first = rank, .last = rank, .words = layout->words, .kept = true};
}

RUNS(reduce, me, x->op, x->out, x->words, x->root);

static void
reduce_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "Tvrdík, PDP course, Lemmas 1 and 4, reversed");
}

const struct peal_form reduce_form = {
    .name = "reduce",
    .done = "are right: the root holds the combined vector",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .root = true,
    .op = true,
    .origin = reduce_origin,
    .run = run,
    .call = call,
    .demand = reduce_demand,
};

FRONT(peal_reduce_at, reduce_form, (const struct peal_op *op, void *a, size_t n, int root), .op = op, .out = a,
      .words = n, .root = root);
