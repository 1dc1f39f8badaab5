/* SPDX-License-Identifier: MIT */
/* Judging a plan: its messages, deadlocks, links, races and result. */
#include "lib/base/text.h"
#include "lib/plan/judging.h"
#include <stdlib.h>

/* ------------------------------------------------------------------ messages */

static void
judge_lengths(const struct order *order, size_t i, struct peal_plan_verdict *verdict)
{
    const struct peal_plan *plan = order->plan;
    size_t other = order->goes_to[i];
    char one[100], two[100];
    struct peal_plan_finding *finding;

    if (plan->steps[i].count == plan->steps[other].count || !(finding = verdict_add(verdict, PEAL_PLAN_LENGTH)))
        return;
    finding->step = i;
    finding->other = other;
    snprintf(finding->message, sizeof finding->message, "%s sends %d %s%s, and %s receives %d",
             peal_plan_where(plan, i, one, sizeof one), plan->steps[i].count, plan->bare ? "byte" : "chunk",
             plan->steps[i].count == 1 ? "" : "s", peal_plan_where(plan, other, two, sizeof two),
             plan->steps[other].count);
}

/* Whether a message between two nodes passes no other node. */
static bool
is_link(const struct peal_network *network, int from, int to)
{
    int distance = peal_network_distance(network, from, to);
    int *path = calloc((size_t)distance + 1, sizeof *path);
    bool link = true;

    if (!path)
        return true;
    peal_network_path(network, from, to, path);
    for (int i = 1; i < distance; i++)
        link = link && path[i] >= peal_network_nodes(network);
    free(path);
    return link;
}

static void
judge_link(const struct order *order, size_t i, const struct peal_network *network, struct peal_plan_verdict *verdict)
{
    const struct peal_plan_block *block = &order->plan->blocks[order->plan->steps[i].block];
    struct peal_plan_finding *finding;
    char where[100];

    if (!network || is_link(network, block->node, block->send) ||
        !(finding = verdict_add(verdict, PEAL_PLAN_NOT_A_LINK)))
        return;
    finding->node = block->node;
    finding->step = i;
    snprintf(finding->message, sizeof finding->message, "%s sends to node %d, and %s has no link from %d to %d",
             peal_plan_where(order->plan, i, where, sizeof where), block->send, peal_network_name(network), block->node,
             block->send);
}

static void
judge_messages(const struct order *order, const struct peal_network *network, struct peal_plan_verdict *verdict)
{
    const struct peal_plan *plan = order->plan;

    for (size_t i = 0; i < plan->step_count; i++) {
        struct peal_plan_finding *finding;
        char where[100];

        if (!(plan->steps[i].does & PEAL_PLAN_SEND))
            continue;
        verdict->messages++;
        judge_link(order, i, network, verdict);
        if (order->goes_to[i] != SIZE_MAX) {
            judge_lengths(order, i, verdict);
        } else if ((finding = verdict_add(verdict, PEAL_PLAN_UNMATCHED))) {
            finding->step = i;
            snprintf(finding->message, sizeof finding->message, "%s sends to node %d, which never receives it",
                     peal_plan_where(plan, i, where, sizeof where), plan->blocks[plan->steps[i].block].send);
        }
    }
}

/* ------------------------------------------------------------------ deadlocks */

/* Write "node 0, block 1, step 2 waits for node 1, ...", as much as there is room for. */
static void
cycle_text(const struct peal_plan *plan, const struct order_cycle *cycle, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);
    size_t shown = cycle->count < 5 ? cycle->count : 5;
    char where[100];

    for (size_t i = 0; i < shown; i++)
        peal_append(out, "%s%s",
                    i == 0   ? ""
                    : i == 1 ? " waits for "
                             : ", that for ",
                    peal_plan_where(plan, cycle->steps[i], where, sizeof where));
    if (shown < cycle->count)
        peal_append(out, ", and so on: %zu steps%s", cycle->count,
                    cycle->closed ? " in a cycle" : ", the last for a message that is never sent");
    else if (cycle->closed)
        peal_append(out, cycle->count == 1 ? " waits for itself" : ", that for the first");
    else
        peal_append(out, "%s waits for a message that is never sent", cycle->count > 1 ? ", that" : "");
}

static void
report_cycle(const struct peal_plan *plan, struct order_cycle *cycle, enum peal_plan_kind kind,
             struct peal_plan_verdict *verdict)
{
    struct peal_plan_finding *finding = verdict_add(verdict, kind);

    if (finding && cycle->count > 0) {
        finding->step = cycle->steps[0];
        finding->node = plan->blocks[plan->steps[cycle->steps[0]].block].node;
        cycle_text(plan, cycle, finding->message, sizeof finding->message);
    }
    free(cycle->steps);
}

/* Sort with each kind of delivery; the last sorts as the messages allow. */
static enum peal_status
judge_order(struct order *order, struct peal_plan *plan, struct peal_plan_verdict *verdict, struct peal_error *error)
{
    struct order_cycle cycle;

    error->status = PEAL_OK;
    plan->copied = !order_sort(order, ORDER_DELIVERED, NULL, error);
    if (error->status == PEAL_OK && !order_sort(order, ORDER_STRICT, &cycle, error) && error->status == PEAL_OK)
        report_cycle(plan, &cycle, PEAL_PLAN_UNBUFFERED, verdict);
    if (error->status == PEAL_OK && !order_sort(order, ORDER_BUFFERED, &cycle, error) && error->status == PEAL_OK) {
        verdict->finding_count = 0; /* a plan that deadlocks even with buffers does not lack them */
        report_cycle(plan, &cycle, PEAL_PLAN_DEADLOCK, verdict);
    }
    return error->status;
}

/* The messages on the longest chain of steps. */
static enum peal_status
count_levels(const struct order *order, struct peal_plan_verdict *verdict, struct peal_error *error)
{
    int *levels = calloc(order->plan->step_count + 1, sizeof *levels);

    if (!levels)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule");
    for (size_t j = 0; j < order->count; j++) {
        size_t i = order->sequence[j], before;

        for (size_t at = 0; (before = order_before(order, i, at)) != SIZE_MAX; at++) {
            int level = levels[before] + (before == order->comes_from[i]);

            levels[i] = level > levels[i] ? level : levels[i];
        }
        verdict->levels = levels[i] > verdict->levels ? levels[i] : verdict->levels;
    }
    free(levels);
    return PEAL_OK;
}

enum peal_status
peal_plan_judge(struct peal_plan *plan, const struct peal_network *network, struct peal_plan_verdict *verdict,
                struct peal_error *error)
{
    struct order order;
    struct peal_error ignored;
    enum peal_status status;

    error = error ? error : &ignored;
    *verdict = (struct peal_plan_verdict){.known = plan->collective != PEAL_COLLECTIVES};
    status = order_init(&order, plan, error);
    if (status == PEAL_OK)
        status = judge_order(&order, plan, verdict, error);
    if (status == PEAL_OK)
        judge_messages(&order, network, verdict);
    if (status == PEAL_OK && order.count == plan->step_count) {
        status = count_levels(&order, verdict, error);
        if (status == PEAL_OK && !plan->bare)
            status = races_find(&order, verdict, error);
        if (status == PEAL_OK && !plan->bare)
            status = proof_make(&order, verdict, error);
    }
    order_fini(&order);
    verdict->proved = status == PEAL_OK && verdict->known;
    for (int i = 0; i < verdict->finding_count; i++)
        if (peal_plan_severity(verdict->findings[i].kind) == PEAL_SEVERITY_ERROR &&
            verdict->findings[i].kind != PEAL_PLAN_NOT_A_LINK)
            verdict->proved = false;
    return status;
}
