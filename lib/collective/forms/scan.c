/* SPDX-License-Identifier: MIT */
/* The row of scan: node i gets the combination of the vectors of nodes 0 .. i. */
#include "lib/collective/fronts.h"

static void
scan_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = 0, .last = rank, .words = layout->words};
}

RUNS(scan, me, x->op, x->out, x->words);

const struct peal_form scan_form = {
    .name = "scan",
    .done = "hold the sum of the ranks up to theirs",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_EVERYWHERE,
    .op = true,
    .origin = scan_origin,
    .run = run,
    .call = call,
    .demand = demand_of_prefixes,
};

FRONT(peal_scan_at, scan_form, (const struct peal_op *op, void *a, size_t n), .op = op, .out = a, .words = n);
