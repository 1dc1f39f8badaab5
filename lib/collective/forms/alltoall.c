/* SPDX-License-Identifier: MIT */
/* The row of all-to-all: node j gets, from every node, the block that it has for j. */
#include "lib/collective/fronts.h"
#include "lib/collective/layout.h"

static void
alltoall_origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    *origin = (struct peal_origin){.first = part,
                                   .last = part,
                                   .index = layout_pair_begin(layout, part, rank),
                                   .words = peal_layout_pair(layout, part, rank)};
}

static void
alltoall_run(struct peal_node *me, const struct peal_algorithm *algorithm, const struct peal_arguments *x,
             const struct peal_blocks *blocks, const struct peal_blocks *received)
{
    algorithm->run.alltoall(me, x->in, blocks, x->out, received);
}

static void
alltoall_call(struct peal_node *me, const union peal_check_function *function, const struct peal_arguments *x)
{
    if (x->lengths != NULL)
        function->alltoallv(me, x->in, x->lengths, x->out, x->receive);
    else
        function->alltoall(me, x->in, x->words, x->out);
}

static void
alltoall_demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Bruck et al. 1997; Tvrdík, PDP course, Lemmas 13 and 14");
    demand->total_words = demand->node_words;
    demand->share = 1;
    demand->crosses = true;
}

const struct peal_form alltoall_form = {
    .name = "alltoall",
    .unequal = "alltoallv",
    .done = "hold their block of every node",
    .in = PEAL_SIDE_PAIRS,
    .out = PEAL_SIDE_PAIRS,
    .origin = alltoall_origin,
    .run = alltoall_run,
    .call = alltoall_call,
    .demand = alltoall_demand,
};

FRONT(peal_alltoall_at, alltoall_form, (const void *in, size_t m, void *out), .in = in, .words = m, .out = out);
FRONT_OF_LISTS(peal_alltoallv_at, alltoall_form, (const void *in, const size_t *send, void *out, const size_t *receive),
               .in = in, .lengths = send, .out = out, .receive = receive);
