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
        callee->function->gatherv(me, x->in, x->lengths, x->root, x->out);
    else if (callee->function != NULL)
        callee->function->gather(me, x->in, x->words, x->root, x->out);
    else if (x->lengths != NULL)
        peal_gatherv_by(me, callee->algorithm, x->in, x->lengths, x->root, x->out);
    else
        peal_gather_by(me, callee->algorithm, x->in, x->words, x->root, x->out);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Tvrdík, PDP course, Lemma 7, reversed");
    demand->one_node = true;
}

/* The root gets the block of every node. */
const struct peal_form gather_form = {
    .name = "gather",
    .unequal = "gatherv",
    .done = "are right: the root holds every block",
    .in = PEAL_SIDE_BLOCK,
    .out = PEAL_SIDE_ROOT_BLOCKS,
    .root = true,
    .in_place = true,
    .file = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
