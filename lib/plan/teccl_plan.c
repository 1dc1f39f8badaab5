/* SPDX-License-Identifier: MIT */
/* The plan of TE-CCL's flows: two blocks per link, one on either side, and the steps that each step waits for. */
#include "lib/plan/teccl.h"
#include <stdlib.h>

static const struct teccl_flow *sorted; /* for qsort */

static int
compare_links(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const struct teccl_flow *x = &sorted[i], *y = &sorted[j];

    if (x->u != y->u)
        return x->u < y->u ? -1 : 1;
    if (x->v != y->v)
        return x->v < y->v ? -1 : 1;
    if (x->epoch != y->epoch)
        return x->epoch < y->epoch ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Where a node keeps a flow's chunk. */
static struct peal_plan_place
teccl_place(struct teccl_reader *reader, int node, const struct teccl_flow *flow)
{
    struct peal_plan *plan = reader->plan;
    size_t at =
        (size_t)node * (size_t)reader->nodes * (size_t)reader->ids + teccl_chunk_at(reader, flow->from, flow->chunk);
    int units = reader->units;

    if (plan->collective == PEAL_ALLGATHER)
        return (struct peal_plan_place){PEAL_PLAN_OUTPUT,
                                        (flow->from * reader->ids + flow->chunk) * units + flow->first};
    if (node == flow->from)
        return (struct peal_plan_place){PEAL_PLAN_INPUT, flow->chunk * units + flow->first};
    if (plan->collective == PEAL_ALLTOALL && reader->dest[teccl_chunk_at(reader, flow->from, flow->chunk)] == node)
        return (struct peal_plan_place){PEAL_PLAN_OUTPUT, flow->from * units + flow->first};
    if (reader->places[at] < 0) {
        reader->places[at] = plan->node[node].chunks[PEAL_PLAN_SCRATCH];
        plan->node[node].chunks[PEAL_PLAN_SCRATCH] += units;
    }
    return (struct peal_plan_place){PEAL_PLAN_SCRATCH, reader->places[at] + flow->first};
}

/* Add the steps of one link: order[first .. last) at its sender, or at its
 * receiver. */
static bool
add_link(struct teccl_reader *reader, const size_t *order, size_t first, size_t last, bool sends, int id)
{
    const struct teccl_flow *link = &reader->flows[order[first]];
    struct peal_plan_block block = {.node = sends ? link->u : link->v,
                                    .id = id,
                                    .send = sends ? link->v : -1,
                                    .receive = sends ? -1 : link->u,
                                    .line = link->line};

    if (peal_plan_add_block(reader->plan, &block) == SIZE_MAX)
        return teccl_no_memory(reader);
    for (size_t i = first; i < last; i++) {
        struct teccl_flow *flow = &reader->flows[order[i]];
        struct peal_plan_place place = teccl_place(reader, block.node, flow);
        struct peal_plan_step step = {.does = sends ? PEAL_PLAN_SEND : PEAL_PLAN_RECEIVE | PEAL_PLAN_COPY,
                                      .source = place,
                                      .target = place,
                                      .count = flow->units,
                                      .line = flow->line};
        size_t number = flow->units > 0 ? peal_plan_add_step(reader->plan, &step) : SIZE_MAX;

        if (flow->units > 0 && number == SIZE_MAX)
            return teccl_no_memory(reader);
        *(sends ? &flow->send : &flow->receive) = number;
    }
    return true;
}

/* Copy a node's chunk for itself. */
static bool
add_own(struct teccl_reader *reader)
{
    for (int node = 0; node < reader->nodes && reader->plan->collective == PEAL_ALLTOALL; node++) {
        struct peal_plan_block block = {.node = node, .id = 0, .send = -1, .receive = -1};
        struct peal_plan_step step = {.does = PEAL_PLAN_COPY,
                                      .source = {PEAL_PLAN_INPUT, node * reader->units},
                                      .target = {PEAL_PLAN_OUTPUT, node * reader->units},
                                      .count = reader->units};

        if (peal_plan_add_block(reader->plan, &block) == SIZE_MAX ||
            peal_plan_add_step(reader->plan, &step) == SIZE_MAX)
            return teccl_no_memory(reader);
    }
    return true;
}

static bool
add_links(struct teccl_reader *reader, size_t *order)
{
    int *ids = calloc((size_t)reader->nodes, sizeof *ids);
    bool well = ids != NULL || teccl_no_memory(reader);

    sorted = reader->flows;
    qsort(order, reader->flow_count, sizeof *order, compare_links);
    for (size_t i = 0, end; well && i < reader->flow_count; i = end) {
        const struct teccl_flow *link = &reader->flows[order[i]];

        for (end = i + 1; end < reader->flow_count && reader->flows[order[end]].u == link->u &&
                          reader->flows[order[end]].v == link->v;)
            end++;
        well = add_link(reader, order, i, end, true, ++ids[link->u]) &&
               add_link(reader, order, i, end, false, ++ids[link->v]);
    }
    free(ids);
    return well;
}

static bool
teccl_add_needs(struct teccl_reader *reader)
{
    for (size_t i = 0; i < reader->flow_count; i++) {
        const struct teccl_flow *flow = &reader->flows[i];

        if (flow->units > 0 && flow->before != SIZE_MAX &&
            !peal_plan_add_need(reader->plan, flow->send, reader->flows[flow->before].receive))
            return teccl_no_memory(reader);
    }
    return true;
}

bool
teccl_plan(struct teccl_reader *reader, enum peal_collective collective)
{
    size_t room = (size_t)reader->nodes * (size_t)reader->nodes * (size_t)reader->ids;
    size_t *order = calloc(reader->flow_count + 1, sizeof *order);
    int chunks = (collective == PEAL_ALLTOALL ? 1 : reader->ids) * reader->units;
    bool well;

    reader->places = malloc((room + 1) * sizeof *reader->places);
    reader->plan = peal_plan_create("TE-CCL", collective, reader->nodes, chunks, reader->error);
    well = reader->plan && ((order && reader->places) || teccl_no_memory(reader));
    for (size_t i = 0; well && i < reader->flow_count; i++)
        order[i] = i;
    for (size_t i = 0; well && i < room; i++)
        reader->places[i] = -1;
    if (well && collective == PEAL_COLLECTIVES)
        for (int node = 0; node < reader->nodes; node++)
            reader->plan->node[node].chunks[PEAL_PLAN_INPUT] = chunks;
    if (well)
        reader->plan->in_place = collective == PEAL_ALLGATHER;
    well = well && add_own(reader) && add_links(reader, order) && teccl_add_needs(reader) &&
           peal_plan_finish(reader->plan, reader->name, reader->error) == PEAL_OK;
    free(order);
    return well;
}
