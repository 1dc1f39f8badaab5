/* SPDX-License-Identifier: MIT */
/* The row of reduce-scatter: node i gets the combination of block i of all. */
#include "lib/collective/demand.h"
#include "lib/collective/fronts.h"
#include "lib/collective/layout.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = 0,
                                   .last = layout->nodes - 1,
                                   .index = layout_begin(layout, rank),
                                   .words = peal_layout_block(layout, rank)};
}

static void
run(struct peal_node *me, const struct peal_algorithm *algorithm, const struct peal_arguments *x,
    const struct peal_blocks *blocks, const struct peal_blocks *received)
{
    (void)received;
    algorithm->run.reduce_scatter(me, x->op, x->in, blocks, x->out);
}

static void
call(struct peal_node *me, const union peal_check_function *function, const struct peal_arguments *x)
{
    if (x->lengths != NULL)
        function->reduce_scatterv(me, x->op, x->in, x->lengths, x->out);
    else
        function->reduce_scatter(me, x->op, x->in, x->words, x->out);
}

const struct peal_form reduce_scatter_form = {
    .name = "reduce-scatter",
    .unequal = "reduce-scatterv",
    .done = "hold their combined block",
    .in = PEAL_SIDE_BLOCKS,
    .out = PEAL_SIDE_BLOCK,
    .op = true,
    .in_place = true,
    .origin = origin,
    .run = run,
    .call = call,
    .demand = demand_of_blocks,
};

void
peal_reduce_scatter_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, const void *in, size_t m,
                       void *out, const char *file, int line)
{
    front(me, &reduce_scatter_form, algorithm, (struct peal_arguments){.op = op, .in = in, .words = m, .out = out},
          file, line);
}

FRONT_OF_LISTS(peal_reduce_scatterv_at, reduce_scatter_form,
               (const struct peal_op *op, const void *in, const size_t *words, void *out), .op = op, .in = in,
               .lengths = words, .out = out);
