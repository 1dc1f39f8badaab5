/* SPDX-License-Identifier: MIT */
/* The row of reduce-scatter: node i gets the combination of block i of all nodes. */
#include "lib/collective/fronts.h"
#include "lib/collective/layout.h"

static void
reduce_scatter_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = 0,
                                   .last = layout->nodes - 1,
                                   .index = layout_begin(layout, rank),
                                   .words = peal_layout_block(layout, rank)};
}

RUNS_BLOCKS(reduce_scatter, (me, x->op, x->in), x->out);

const struct peal_form reduce_scatter_form = {
    .name = "reduce-scatter",
    .unequal = "reduce-scatterv",
    .done = "hold their combined block",
    .in = PEAL_SIDE_BLOCKS,
    .out = PEAL_SIDE_BLOCK,
    .op = true,
    .in_place = true,
    .origin = reduce_scatter_origin,
    .run = run,
    .call = call,
    .demand = demand_of_blocks,
};

FRONT(peal_reduce_scatter_at, reduce_scatter_form, (const struct peal_op *op, const void *in, size_t m, void *out),
      .op = op, .in = in, .words = m, .out = out);
FRONT_OF_LISTS(peal_reduce_scatterv_at, reduce_scatter_form,
               (const struct peal_op *op, const void *in, const size_t *words, void *out), .op = op, .in = in,
               .lengths = words, .out = out);
