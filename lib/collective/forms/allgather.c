/* SPDX-License-Identifier: MIT */
/* The row of all-gather: every node gets the blocks of all. */
#include "lib/collective/fronts.h"

RUNS_BLOCKS(allgather, (me, x->in), x->out);

const struct peal_form allgather_form = {
    .name = "allgather",
    .unequal = "allgatherv",
    .done = "hold every block",
    .in = PEAL_SIDE_BLOCK,
    .out = PEAL_SIDE_BLOCKS,
    .in_place = true,
    .file = true,
    .origin = origin_of_part,
    .run = run,
    .call = call,
    .demand = demand_of_blocks,
};

FRONT(peal_allgather_at, allgather_form, (const void *in, size_t m, void *out), .in = in, .words = m, .out = out);
FRONT_OF_LISTS(peal_allgatherv_at, allgather_form, (const void *in, const size_t *words, void *out), .in = in,
               .lengths = words, .out = out);
