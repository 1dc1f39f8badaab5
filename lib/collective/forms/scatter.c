/* SPDX-License-Identifier: MIT */
/* The row of scatter: node i gets block i of the root's. */
#include "lib/collective/demand.h"
#include "lib/collective/fronts.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)part;
    *origin = (struct peal_origin){.first = layout->root,
                                   .last = layout->root,
                                   .index = peal_layout_begin(layout, rank),
                                   .words = peal_layout_block(layout, rank)};
}

static void
run(struct peal_node *me, const struct peal_algorithm *algorithm, const struct peal_arguments *x,
    const struct peal_blocks *blocks, const struct peal_blocks *received)
{
    (void)received;
    algorithm->run.scatter(me, x->in, blocks, x->root, x->out);
}

static void
call(struct peal_node *me, const union peal_check_function *function, const struct peal_arguments *x)
{
    if (x->lengths != NULL)
        function->scatterv(me, x->in, x->lengths, x->root, x->out);
    else
        function->scatter(me, x->in, x->words, x->root, x->out);
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Tvrdík, PDP course, Lemma 7");
    demand->one_node = true;
}

const struct peal_form scatter_form = {
    .name = "scatter",
    .unequal = "scatterv",
    .done = "hold their block",
    .in = PEAL_SIDE_ROOT_BLOCKS,
    .out = PEAL_SIDE_BLOCK,
    .root = true,
    .from_root = true,
    .in_place = true,
    .file = true,
    .origin = origin,
    .run = run,
    .call = call,
    .demand = demand,
};

void
peal_scatter_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
                const char *file, int line)
{
    front(me, &scatter_form, algorithm, (struct peal_arguments){.in = in, .words = m, .root = root, .out = out}, file,
          line);
}

void
peal_scatterv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, int root, void *out,
                 const char *file, int line)
{
    front_of_lists(me, &scatter_form, algorithm,
                   (struct peal_arguments){.in = in, .lengths = words, .root = root, .out = out}, file, line);
}
