/* SPDX-License-Identifier: MIT */
/* The row of broadcast: every node gets the root's vector. */
#include "lib/collective/fronts.h"

static void
broadcast_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank, (void)part;
    *origin = (struct peal_origin){.first = layout->root, .last = layout->root, .words = layout->words};
}

RUNS(broadcast, me, x->out, x->words, x->root);

static void
broadcast_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "Tvrdík, PDP course, Lemmas 1 and 4");
}

const struct peal_form broadcast_form = {
    .name = "broadcast",
    .done = "hold the vector",
    .out = PEAL_SIDE_VECTOR,
    .begins = PEAL_BEGINS_AT_ROOT,
    .root = true,
    .from_root = true,
    .file = true,
    .origin = broadcast_origin,
    .run = run,
    .call = call,
    .demand = broadcast_demand,
};

FRONT(peal_broadcast_at, broadcast_form, (void *a, size_t n, int root), .out = a, .words = n, .root = root);
