/* SPDX-License-Identifier: MIT */
/* The row of exscan: node i gets the combination of the vectors of nodes 0 .. i-1; node 0 keeps its own. */
#include "lib/collective/fronts.h"

static void
exscan_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin =
        (struct peal_origin){.first = 0, .last = rank > 0 ? rank - 1 : 0, .words = layout->words, .kept = rank == 0};
}

RUNS(exscan, me, x->op, x->out, x->words);

const struct peal_form exscan_form = {
    .name = "exscan",
    .done = "hold the sum of the ranks before theirs",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .op = true,
    .origin = exscan_origin,
    .run = run,
    .call = call,
    .demand = demand_of_prefixes,
};

FRONT(peal_exscan_at, exscan_form, (const struct peal_op *op, void *a, size_t n), .op = op, .out = a, .words = n);
