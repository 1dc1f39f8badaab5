/* SPDX-License-Identifier: MIT */
#include "../demand.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    int P = layout->nodes, from = ((rank - layout->by) % P + P) % P;

    *origin = (struct peal_origin){.first = from, .last = from, .words = layout->words};
}

static void
call(struct peal_node *me, const struct peal_callee *callee, const struct peal_arguments *x)
{
    if (callee->function != NULL)
        callee->function->shift(me, x->in, x->words, x->by, x->out);
    else
        peal_shift_by(me, callee->algorithm, x->in, x->words, x->by, x->out);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = (struct peal_demand){.node_words = (int64_t)situation->words, .told = situation->by > 0 ? 2 : 1,
                                   .source = "every node's words go out and come in"};
}

/* Node (i + by) mod P gets the vector of node i. */
const struct peal_form shift_form = {
    .name = "shift",
    .done = "hold the vector that was shifted to them",
    .in = PEAL_SIDE_VECTOR,
    .out = PEAL_SIDE_VECTOR,
    .by = true,
    .origin = origin,
    .call = call,
    .demand = demand,
};
