/* SPDX-License-Identifier: MIT */
/* The row of gather: the root gets the block of every node. */
#include "lib/collective/fronts.h"

static void
gather_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Tvrdík, PDP course, Lemma 7, reversed");
    demand->one_node = true;
}

RUNS_BLOCKS(gather, (me, x->in), x->root, x->out);

const struct peal_form gather_form = {
    .name = "gather",
    .unequal = "gatherv",
    .done = "are right: the root holds every block",
    .in = PEAL_SIDE_BLOCK,
    .out = PEAL_SIDE_ROOT_BLOCKS,
    .root = true,
    .in_place = true,
    .file = true,
    .origin = origin_of_part,
    .run = run,
    .call = call,
    .demand = gather_demand,
};

FRONT(peal_gather_at, gather_form, (const void *in, size_t m, int root, void *out), .in = in, .words = m, .root = root,
      .out = out);
FRONT_OF_LISTS(peal_gatherv_at, gather_form, (const void *in, const size_t *words, int root, void *out), .in = in,
               .lengths = words, .root = root, .out = out);
