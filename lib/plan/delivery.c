/* SPDX-License-Identifier: MIT */
/* Whether the messages of a plan without data can deliver a collective's result: which nodes' words can have reached
 * each node. */
#include "lib/collective/layout.h"
#include "lib/plan/judging.h"
#include <stdlib.h>

enum { BITS = 64 };

struct plan_delivery {
    const struct peal_plan *plan;
    const struct order *order;
    struct peal_layout layout;
    size_t width;     /* of a set of nodes, in words of 64 bits */
    uint64_t *steps;  /* of each step: the nodes whose words its node can have when it is done */
    uint64_t *nodes;  /* of each node: at the end */
    uint64_t *inflow; /* bytes that each receives */
};

/* Give a step the words of the steps before it, and a receive also those of its message. */
static void
delivery_propagate(struct plan_delivery *d)
{
    const struct peal_plan *plan = d->plan;

    for (int node = 0; node < plan->nodes; node++)
        d->nodes[(size_t)node * d->width + (size_t)node / BITS] |= UINT64_C(1) << node % BITS;
    for (size_t j = 0; j < d->order->count; j++) {
        size_t i = d->order->sequence[j], before;
        const struct peal_plan_step *step = &plan->steps[i];
        int node = plan->blocks[step->block].node;
        uint64_t *own = &d->steps[i * d->width], *all = &d->nodes[(size_t)node * d->width];

        own[node / BITS] |= UINT64_C(1) << node % BITS;
        for (size_t at = 0; (before = order_before(d->order, i, at)) != SIZE_MAX; at++)
            for (size_t w = 0; w < d->width; w++)
                own[w] |= d->steps[before * d->width + w];
        for (size_t w = 0; w < d->width; w++)
            all[w] |= own[w];
        if (step->does & PEAL_PLAN_RECEIVE)
            d->inflow[node] += (uint64_t)step->count;
    }
}

/* Compare each stretch of a node's result with the words that can have arrived. */
static void
delivery_compare(const struct plan_delivery *d, const struct peal_form *form, int node, size_t bytes,
                 struct peal_plan_verdict *verdict)
{
    const uint64_t *known = &d->nodes[(size_t)node * d->width];
    struct peal_plan_finding *finding;
    uint64_t needed = 0;

    if (layout_out_words(&d->layout, form, node) == SIZE_MAX)
        return;
    for (int part = 0; part < layout_parts(&d->layout, form); part++) {
        struct peal_origin origin;

        form->origin(&d->layout, node, part, &origin);
        if (origin.kept || origin.words == 0)
            continue;
        if (origin.first != node || origin.last != node)
            needed += origin.words;
        for (int from = origin.first; from <= origin.last; from++)
            if (!(known[from / BITS] >> from % BITS & 1) && (finding = verdict_add(verdict, PEAL_PLAN_WRONG))) {
                finding->node = node;
                snprintf(finding->message, sizeof finding->message,
                         "node %d gets words of node %d, and no chain of messages leads from there to it", node, from);
            }
    }
    if (bytes > 0 && d->inflow[node] < needed && (finding = verdict_add(verdict, PEAL_PLAN_WRONG))) {
        finding->node = node;
        snprintf(finding->message, sizeof finding->message,
                 "node %d gets %llu bytes from others, and its messages have %llu in all", node,
                 (unsigned long long)needed, (unsigned long long)d->inflow[node]);
    }
}

enum peal_status
peal_plan_deliver(const struct peal_plan *plan, enum peal_collective collective, int root, size_t bytes,
                  struct peal_plan_verdict *verdict, struct peal_error *error)
{
    const struct peal_form *form = peal_form_of(collective);
    size_t width = ((size_t)plan->nodes + BITS - 1) / BITS;
    struct order order;
    struct plan_delivery d = {.plan = plan,
                              .order = &order,
                              .layout = {.nodes = plan->nodes,
                                         .root = root,
                                         .by = 1,
                                         .to_count = plan->nodes,
                                         .words = bytes > 0 ? bytes : 1},
                              .width = width};
    enum peal_status status;

    if (root < 0 || root >= plan->nodes)
        return peal_refuse(error, PEAL_USAGE, "root %d is out of range: ranks are 0 to %d", root, plan->nodes - 1);
    status = order_init(&order, plan, error);
    if (status == PEAL_OK)
        order_sort(&order, ORDER_BUFFERED, NULL, error);
    d.steps = calloc((plan->step_count + 1) * width, sizeof *d.steps);
    d.nodes = calloc((size_t)plan->nodes * width, sizeof *d.nodes);
    d.inflow = calloc((size_t)plan->nodes, sizeof *d.inflow);
    if (status == PEAL_OK && (!d.steps || !d.nodes || !d.inflow))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule");
    if (status == PEAL_OK && order.count == plan->step_count) {
        delivery_propagate(&d);
        for (int node = 0; node < plan->nodes; node++)
            delivery_compare(&d, form, node, bytes, verdict);
    }
    free(d.steps);
    free(d.nodes);
    free(d.inflow);
    order_fini(&order);
    return status;
}
