/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = 0, .last = layout->nodes - 1, .index = peal_layout_begin(layout, rank),
                                   .words = peal_layout_block(layout, rank)};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL && x->lengths != NULL)
        callee->function->reduce_scatterv(me, x->op, x->in, x->lengths, x->out);
    else if (callee->function != NULL)
        callee->function->reduce_scatter(me, x->op, x->in, x->words, x->out);
    else if (x->lengths != NULL)
        peal_reduce_scatterv_by(me, callee->algorithm, x->op, x->in, x->lengths, x->out);
    else
        peal_reduce_scatter_by(me, callee->algorithm, x->op, x->in, x->words, x->out);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Chan et al. 2007");
    demand->total_words = demand->node_words;
    demand->share = 1;
}

/* Node i gets the combination of block i of all. */
const struct peal_form reduce_scatter_form = {
    .name = "reduce-scatter",
    .unequal = "reduce-scatterv",
    .done = "hold their combined block",
    .in = PEAL_SIDE_BLOCKS,
    .out = PEAL_SIDE_BLOCK,
    .op = true,
    .in_place = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
