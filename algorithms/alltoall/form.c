/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    *origin = (struct peal_origin){.first = part, .last = part, .index = peal_layout_pair_begin(layout, part, rank),
                                   .words = peal_layout_pair(layout, part, rank)};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL && x->lengths != NULL)
        callee->function->alltoallv(me, x->in, x->lengths, x->out, x->receive);
    else if (callee->function != NULL)
        callee->function->alltoall(me, x->in, x->words, x->out);
    else if (x->lengths != NULL)
        peal_alltoallv_by(me, callee->algorithm, x->in, x->lengths, x->out, x->receive);
    else
        peal_alltoall_by(me, callee->algorithm, x->in, x->words, x->out);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Bruck et al. 1997; Tvrdík, PDP course, Lemmas 13 and 14");
    demand->total_words = demand->node_words;
    demand->share = 1;
    demand->crosses = true;
}

/* Node j gets, from every node, the block that it has for j. */
const struct peal_form alltoall_form = {
    .name = "alltoall",
    .unequal = "alltoallv",
    .done = "hold their block of every node",
    .in = PEAL_SIDE_PAIRS,
    .out = PEAL_SIDE_PAIRS,
    .origin = origin,
    .call = call,
    .demand = demand,
};
