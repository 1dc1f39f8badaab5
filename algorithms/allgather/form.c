/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank;
    *origin = (struct peal_origin){.first = part, .last = part, .words = peal_layout_block(layout, part)};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL && x->lengths != NULL)
        callee->function->allgatherv(me, x->in, x->lengths, x->out);
    else if (callee->function != NULL)
        callee->function->allgather(me, x->in, x->words, x->out);
    else if (x->lengths != NULL)
        peal_allgatherv_by(me, callee->algorithm, x->in, x->lengths, x->out);
    else
        peal_allgather_by(me, callee->algorithm, x->in, x->words, x->out);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Chan et al. 2007");
    demand->total_words = demand->node_words;
    demand->share = 1;
}

/* Every node gets the block of every node. */
const struct peal_form allgather_form = {
    .name = "allgather",
    .unequal = "allgatherv",
    .done = "hold every block",
    .in = PEAL_SIDE_BLOCK,
    .out = PEAL_SIDE_BLOCKS,
    .in_place = true,
    .file = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
