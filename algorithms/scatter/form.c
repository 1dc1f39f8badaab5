/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = layout->root, .last = layout->root, .index = peal_layout_begin(layout, rank),
                                   .words = peal_layout_block(layout, rank)};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL && x->lengths != NULL)
        callee->function->scatterv(me, x->in, x->lengths, x->root, x->out);
    else if (callee->function != NULL)
        callee->function->scatter(me, x->in, x->words, x->root, x->out);
    else if (x->lengths != NULL)
        peal_scatterv_by(me, callee->algorithm, x->in, x->lengths, x->root, x->out);
    else
        peal_scatter_by(me, callee->algorithm, x->in, x->words, x->root, x->out);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Tvrdík, PDP course, Lemma 7");
    demand->one_node = true;
}

/* Node i gets block i of the root's. */
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
    .origin = origin,
    .call = call,
    .demand = demand,
};
