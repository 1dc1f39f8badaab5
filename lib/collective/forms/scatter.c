/* SPDX-License-Identifier: MIT */
/* The row of scatter: node i gets the root's block i. */
#include "lib/collective/fronts.h"
#include "lib/collective/layout.h"

static void
scatter_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = layout->root,
                                   .last = layout->root,
                                   .index = layout_begin(layout, rank),
                                   .words = peal_layout_block(layout, rank)};
}

static void
scatter_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Tvrdík, PDP course, Lemma 7");
    demand->one_node = true;
}

RUNS_BLOCKS(scatter, (me, x->in), x->root, x->out);

const struct peal_form scatter_form = {
    .name = "scatter",
    .unequal = "scatterv",
    .done = "hold their block",
    .in = PEAL_SIDE_ROOT_BLOCKS,
    .out = PEAL_SIDE_BLOCK,
    .root = true,
    .from_root = true,
    .in_place = true,
    .file = true,
    .origin = scatter_origin,
    .run = run,
    .call = call,
    .demand = scatter_demand,
};

FRONT(peal_scatter_at, scatter_form, (const void *in, size_t m, int root, void *out), .in = in, .words = m,
      .root = root, .out = out);
FRONT_OF_LISTS(peal_scatterv_at, scatter_form, (const void *in, const size_t *words, int root, void *out), .in = in,
               .lengths = words, .root = root, .out = out);
