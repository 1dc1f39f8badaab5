/* SPDX-License-Identifier: MIT */
/* Matching sends with receives, and sorting steps.
 *
 * A step has up to three events: it may begin (for receives: then its message can be delivered), it is done, its
 * message is delivered.  An event comes after others; the events are sorted by Kahn's algorithm, and one that is left
 * over waits for itself. */
#include "lib/base/grow.h"
#include "lib/plan/judging.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ partners */

/* A step that sends or receives, by its connection. */
struct order_end {
    int from, to, channel;
    size_t step;
};

static int
compare_ends(const void *a, const void *b)
{
    const struct order_end *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* List the steps that send (or receive), sorted by connection, then by their order. */
static struct order_end *
list_ends(const struct peal_plan *plan, unsigned what, size_t *count)
{
    struct order_end *ends = calloc(plan->step_count + 1, sizeof *ends);

    *count = 0;
    for (size_t i = 0; ends && i < plan->step_count; i++) {
        const struct peal_plan_block *block = &plan->blocks[plan->steps[i].block];

        if (!(plan->steps[i].does & what))
            continue;
        ends[(*count)++] = what == PEAL_PLAN_SEND ? (struct order_end){block->node, block->send, block->channel, i}
                                                  : (struct order_end){block->receive, block->node, block->channel, i};
    }
    if (ends)
        qsort(ends, *count, sizeof *ends, compare_ends);
    return ends;
}

static int
compare_connections(const struct order_end *a, const struct order_end *b)
{
    struct order_end x = *a, y = *b;

    x.step = y.step = 0;
    return compare_ends(&x, &y);
}

/* Pair the i-th send of each connection with its i-th receive. */
static void
plan_order_match(struct order *order, const struct order_end *sends, size_t send_count,
                 const struct order_end *receives, size_t receive_count)
{
    size_t s = 0, r = 0;

    while (s < send_count && r < receive_count) {
        int way = compare_connections(&sends[s], &receives[r]);

        if (way == 0) {
            order->goes_to[sends[s].step] = receives[r].step;
            order->comes_from[receives[r].step] = sends[s].step;
            s++;
            r++;
        } else if (way < 0) {
            s++;
        } else {
            r++;
        }
    }
}

enum peal_status
order_init(struct order *order, const struct peal_plan *plan, struct peal_error *error)
{
    size_t room = plan->step_count + 1, send_count = 0, receive_count = 0;
    struct order_end *sends = list_ends(plan, PEAL_PLAN_SEND, &send_count);
    struct order_end *receives = list_ends(plan, PEAL_PLAN_RECEIVE, &receive_count);

    *order = (struct order){.plan = plan,
                            .comes_from = calloc(room, sizeof(size_t)),
                            .goes_to = calloc(room, sizeof(size_t)),
                            .sequence = calloc(room, sizeof(size_t))};
    bool memory = sends && receives && order->comes_from && order->goes_to && order->sequence;

    for (size_t i = 0; memory && i < room; i++)
        order->comes_from[i] = order->goes_to[i] = SIZE_MAX;
    if (memory)
        plan_order_match(order, sends, send_count, receives, receive_count);
    free(sends);
    free(receives);
    return memory ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule");
}

void
order_fini(struct order *order)
{
    free(order->comes_from);
    free(order->goes_to);
    free(order->sequence);
    *order = (struct order){.count = 0};
}

size_t
order_before(const struct order *order, size_t i, size_t at)
{
    const struct peal_plan *plan = order->plan;
    const struct peal_plan_step *step = &plan->steps[i];
    size_t previous = i > plan->blocks[step->block].first ? 1 : 0;
    size_t received = order->comes_from[i] != SIZE_MAX ? 1 : 0;

    if (at < previous)
        return i - 1;
    at -= previous;
    if (at < received)
        return order->comes_from[i];
    at -= received;
    return at < (size_t)step->need_count ? plan->needs[step->needs + at] : SIZE_MAX;
}

/* ------------------------------------------------------------------ events */

enum order_event { EVENT_DONE, EVENT_DELIVERED, EVENT_MAY_BEGIN, EVENTS };

struct order_edge {
    size_t before, after; /* events: EVENTS · step + what */
};

struct order_graph {
    struct order_edge *edges;
    size_t count, room;
    uint32_t *waits; /* of an event: how many others must come before it; UINT32_MAX: it has happened */
    size_t events;
    bool full;
};

static size_t
event_of(size_t step, enum order_event what)
{
    return EVENTS * step + what;
}

static void
add_edge(struct order_graph *graph, size_t before, size_t after)
{
    if (!array_grow(&graph->edges, &graph->room, graph->count + 1, sizeof *graph->edges)) {
        graph->full = true;
        return;
    }
    graph->edges[graph->count++] = (struct order_edge){before, after};
    graph->waits[after]++;
}

/* Let step i begin after step `before` of its node: after that is done, or its message delivered. */
static void
add_step_after(struct order_graph *graph, const struct order *order, size_t before, size_t i, bool delivered)
{
    const struct peal_plan *plan = order->plan;
    bool waits = delivered && plan->steps[before].does & PEAL_PLAN_SEND && order->goes_to[before] != SIZE_MAX;
    size_t event = event_of(before, waits ? EVENT_DELIVERED : EVENT_DONE);

    add_edge(graph, event, event_of(i, EVENT_DONE));
    if (plan->steps[i].does & PEAL_PLAN_RECEIVE)
        add_edge(graph, event, event_of(i, EVENT_MAY_BEGIN));
}

static void
plan_order_add_step(struct order_graph *graph, const struct order *order, size_t i, enum order_delivery delivery)
{
    const struct peal_plan *plan = order->plan;
    const struct peal_plan_step *step = &plan->steps[i];

    if (i > plan->blocks[step->block].first)
        add_step_after(graph, order, i - 1, i, delivery == ORDER_STRICT);
    for (int j = 0; j < step->need_count; j++) {
        size_t on = plan->needs[step->needs + (size_t)j];
        bool only_sends = plan->steps[on].does == PEAL_PLAN_SEND;

        add_step_after(graph, order, on, i, delivery == ORDER_STRICT || (delivery == ORDER_DELIVERED && only_sends));
    }
    if (step->does & PEAL_PLAN_RECEIVE) {
        add_edge(graph, event_of(i, EVENT_MAY_BEGIN), event_of(i, EVENT_DONE));
        if (order->comes_from[i] != SIZE_MAX)
            add_edge(graph, event_of(order->comes_from[i], EVENT_DONE), event_of(i, EVENT_DONE));
        else
            graph->waits[event_of(i, EVENT_DONE)]++; /* nobody sends it */
    }
    if (step->does & PEAL_PLAN_SEND) {
        add_edge(graph, event_of(i, EVENT_DONE), event_of(i, EVENT_DELIVERED));
        if (order->goes_to[i] != SIZE_MAX)
            add_edge(graph, event_of(order->goes_to[i], EVENT_MAY_BEGIN), event_of(i, EVENT_DELIVERED));
    }
}

/* ------------------------------------------------------------------ sorting */

/* List the events after each event: after[begin[e] .. begin[e + 1]). */
static bool
list_after(const struct order_graph *graph, size_t **begin, size_t **after)
{
    size_t *at = calloc(graph->events + 2, sizeof *at), *list = calloc(graph->count + 1, sizeof *list);

    *begin = at;
    *after = list;
    if (!at || !list)
        return false;
    for (size_t i = 0; i < graph->count; i++)
        at[graph->edges[i].before + 2]++;
    for (size_t i = 2; i < graph->events + 2; i++)
        at[i] += at[i - 1];
    for (size_t i = 0; i < graph->count; i++)
        list[at[graph->edges[i].before + 1]++] = graph->edges[i].after;
    return true;
}

/* Let every event happen that can, in the order of a queue: each as early as it can. */
static bool
happen(struct order *order, struct order_graph *graph)
{
    size_t *begin = NULL, *after = NULL, *queue = calloc(graph->events + 1, sizeof *queue), head = 0, tail = 0;
    bool memory = queue && list_after(graph, &begin, &after);

    order->count = 0;
    for (size_t e = 0; memory && e < graph->events; e++)
        if (graph->waits[e] == 0)
            queue[tail++] = e;
    while (memory && head < tail) {
        size_t e = queue[head++];

        graph->waits[e] = UINT32_MAX;
        if (e % EVENTS == EVENT_DONE)
            order->sequence[order->count++] = e / EVENTS;
        for (size_t i = begin[e]; i < begin[e + 1]; i++)
            if (--graph->waits[after[i]] == 0)
                queue[tail++] = after[i];
    }
    free(begin);
    free(after);
    free(queue);
    return memory;
}

/* Follow the waiting events until they form a cycle. */
static bool
plan_order_find_cycle(const struct order *order, const struct order_graph *graph, struct order_cycle *cycle)
{
    size_t *blocker = calloc(graph->events + 1, sizeof *blocker), *seen = calloc(graph->events + 1, sizeof *seen);
    size_t steps = order->plan->step_count, at = 0, length = 0;

    *cycle = (struct order_cycle){.steps = calloc(graph->events + 1, sizeof *cycle->steps)};
    if (!blocker || !seen || !cycle->steps) {
        free(blocker);
        free(seen);
        free(cycle->steps);
        cycle->steps = NULL;
        return false;
    }
    for (size_t e = 0; e < graph->events; e++)
        blocker[e] = SIZE_MAX;
    for (size_t i = graph->count; i-- > 0;)
        if (graph->waits[graph->edges[i].before] != UINT32_MAX)
            blocker[graph->edges[i].after] = graph->edges[i].before;
    while (at < steps && graph->waits[event_of(at, EVENT_DONE)] == UINT32_MAX)
        at++;
    size_t event = event_of(at, EVENT_DONE);

    while (event != SIZE_MAX && !seen[event]) {
        seen[event] = ++length;
        cycle->steps[length - 1] = event;
        event = blocker[event];
    }
    cycle->closed = event != SIZE_MAX;
    size_t first = cycle->closed ? seen[event] - 1 : 0;

    for (size_t i = first; i < length; i++) { /* events to steps, each once */
        size_t step = cycle->steps[i] / EVENTS;

        if (cycle->count == 0 || cycle->steps[cycle->count - 1] != step)
            cycle->steps[cycle->count++] = step;
    }
    while (cycle->closed && cycle->count > 1 && cycle->steps[0] == cycle->steps[cycle->count - 1])
        cycle->count--;
    free(blocker);
    free(seen);
    return true;
}

bool
order_sort(struct order *order, enum order_delivery delivery, struct order_cycle *cycle, struct peal_error *error)
{
    size_t steps = order->plan->step_count;
    struct order_graph graph = {.events = EVENTS * steps, .waits = calloc(EVENTS * steps + 1, sizeof *graph.waits)};
    bool memory = graph.waits != NULL;

    if (cycle)
        *cycle = (struct order_cycle){.count = 0};
    for (size_t i = 0; memory && i < steps; i++)
        plan_order_add_step(&graph, order, i, delivery);
    memory = memory && !graph.full && happen(order, &graph);
    if (memory && order->count < steps && cycle)
        memory = plan_order_find_cycle(order, &graph, cycle);
    free(graph.edges);
    free(graph.waits);
    if (!memory)
        peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule of %zu steps", steps);
    return memory && order->count == steps;
}
