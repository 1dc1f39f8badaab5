/* SPDX-License-Identifier: MIT */
/* The row of all-gather: every node gets the blocks of all. */
#include "lib/collective/demand.h"
#include "lib/collective/fronts.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank;
    *origin = (struct peal_origin){.first = part, .last = part, .words = peal_layout_block(layout, part)};
}

static void
run(struct peal_node *me, const struct peal_algorithm *algorithm, const struct peal_arguments *x,
    const struct peal_blocks *blocks, const struct peal_blocks *received)
{
    (void)received;
    algorithm->run.allgather(me, x->in, blocks, x->out);
}

static void
call(struct peal_node *me, const union peal_check_function *function, const struct peal_arguments *x)
{
    if (x->lengths != NULL)
        function->allgatherv(me, x->in, x->lengths, x->out);
    else
        function->allgather(me, x->in, x->words, x->out);
}

const struct peal_form allgather_form = {
    .name = "allgather",
    .unequal = "allgatherv",
    .done = "hold every block",
    .in = PEAL_SIDE_BLOCK,
    .out = PEAL_SIDE_BLOCKS,
    .in_place = true,
    .file = true,
    .origin = origin,
    .run = run,
    .call = call,
    .demand = demand_of_blocks,
};

FRONT(peal_allgather_at, allgather_form, (const void *in, size_t m, void *out), .in = in, .words = m, .out = out);

void
peal_allgatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, void *out,
                   const char *file, int line)
{
    front_of_lists(me, &allgather_form, algorithm, (struct peal_arguments){.in = in, .lengths = words, .out = out},
                   file, line);
}
