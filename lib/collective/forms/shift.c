/* SPDX-License-Identifier: MIT */
/* The row of shift: node (i + by) mod P gets the vector of node i. */
#include "lib/collective/closed.h"
#include "lib/collective/fronts.h"

static void
shift_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    int P = layout->nodes, from = ((rank - layout->by) % P + P) % P;

    *origin = (struct peal_origin){.first = from, .last = from, .words = layout->words};
}

RUNS(shift, me, x->in, x->words, x->by, x->out);

/* On a grid each node's words go this far; elsewhere over at least one link, if no two nodes are on a host. */
static int
shift_demand_hops(const struct peal_situation *situation)
{
    const struct peal_placement *placement =
        situation->network == NULL ? NULL : peal_network_placement(situation->network);
    struct shape shape;

    if (placement != NULL && placement->shared)
        return 0;
    shape_of(&shape, situation->network, situation->nodes);
    return shape.kind == SHAPE_OTHER ? 1 : shape_shift_hops(&shape, situation->by);
}

static void
shift_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = (struct peal_demand){.node_words = (int64_t)situation->words,
                                   .reached = situation->by > 0 ? 2 : 1,
                                   .hops = shift_demand_hops,
                                   .source = situation->by > 0 ? "every node's words go out and come in"
                                                               : "by 0: nothing need be sent"};
}

const struct peal_form shift_form = {
    .name = "shift",
    .done = "hold the vector that was shifted to them",
    .in = PEAL_SIDE_VECTOR,
    .out = PEAL_SIDE_VECTOR,
    .by = true,
    .origin = shift_origin,
    .run = run,
    .call = call,
    .demand = shift_demand,
};

FRONT(peal_shift_at, shift_form, (const void *in, size_t n, int by, void *out), .in = in, .words = n, .by = by,
      .out = out);
