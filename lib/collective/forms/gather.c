/* SPDX-License-Identifier: MIT */
/* The row of gather: the root gets the block of every node. */
#include "lib/collective/demand.h"
#include "lib/collective/fronts.h"

static void
origin(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank;
    *origin = (struct peal_origin){.first = part, .last = part, .words = peal_layout_block(layout, part)};
}

static void
demand(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Tvrdík, PDP course, Lemma 7, reversed");
    demand->one_node = true;
}

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
    .run = run_rooted,
    .call = call_rooted,
    .demand = demand,
};

void
peal_gather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
               const char *file, int line)
{
    front(me, &gather_form, algorithm, (struct peal_arguments){.in = in, .words = m, .root = root, .out = out}, file,
          line);
}

void
peal_gatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, int root, void *out,
                const char *file, int line)
{
    front_of_lists(me, &gather_form, algorithm,
                   (struct peal_arguments){.in = in, .lengths = words, .root = root, .out = out}, file, line);
}
