/* SPDX-License-Identifier: MIT */
/* Races: two blocks of a node touch one chunk, at least one writes it, and no chain of steps and messages orders them.
 *
 * For the blocks of one node at a time, every step of the plan has a clock: for each of these blocks, how many of its
 * steps are done before.  A step of another block came before if the clock says so.  For each chunk it is enough to
 * remember the last read and the last write of every block, since earlier ones come before these. */
#include "lib/plan/judging.h"
#include <stdlib.h>
#include <string.h>

struct races {
    const struct order *order;
    const struct peal_plan *plan;
    struct peal_plan_verdict *verdict;
    int node, blocks;         /* the node whose races are searched for; its blocks */
    uint32_t *clocks;         /* a row of `blocks` numbers for each step */
    uint32_t *reads, *writes; /* a row for each chunk: the last step's place in its block, from 1 */
};

/* The clock of a step: the greatest of those before it. */
static void
set_clock(const struct races *races, size_t i)
{
    const struct peal_plan *plan = races->plan;
    const struct peal_plan_block *block = &plan->blocks[plan->steps[i].block];
    size_t width = (size_t)races->blocks, before;
    uint32_t *clock = races->clocks + i * width;

    memset(clock, 0, width * sizeof *clock);
    for (size_t at = 0; (before = order_before(races->order, i, at)) != SIZE_MAX; at++) {
        const uint32_t *other = races->clocks + before * width;

        for (size_t b = 0; b < width; b++)
            clock[b] = clock[b] > other[b] ? clock[b] : other[b];
    }
    if (block->node == races->node)
        clock[plan->steps[i].block - plan->node[races->node].first] = (uint32_t)(i - block->first) + 1;
}

static void
plan_race_report(const struct races *races, size_t earlier, bool earlier_writes, size_t i, bool writes,
                 struct peal_plan_place place)
{
    struct peal_plan_finding *finding = verdict_add(races->verdict, PEAL_PLAN_RACE);
    char one[100], two[100], where[100];

    if (!finding)
        return;
    finding->node = races->node;
    finding->chunk = place.chunk;
    finding->step = earlier;
    finding->other = i;
    snprintf(finding->message, sizeof finding->message, "%s is %s by %s and %s by %s, and nothing orders the two",
             place_text(races->node, place, where, sizeof where), earlier_writes ? "written" : "read",
             peal_plan_where(races->plan, earlier, one, sizeof one), writes ? "written" : "read",
             peal_plan_where(races->plan, i, two, sizeof two));
}

/* Step i touches a chunk: look at the other blocks' accesses to it. */
static void
plan_race_touch(const struct races *races, size_t i, struct peal_plan_place place, bool writes)
{
    const struct peal_plan *plan = races->plan;
    size_t width = (size_t)races->blocks, at = (size_t)peal_plan_address(plan, races->node, place) * width;
    const uint32_t *clock = races->clocks + i * width;
    int own = plan->steps[i].block - plan->node[races->node].first;

    for (int b = 0; b < races->blocks; b++) {
        uint32_t wrote = races->writes[at + (size_t)b], read = writes ? races->reads[at + (size_t)b] : 0;
        size_t first = plan->blocks[plan->node[races->node].first + b].first;

        if (b != own && wrote > clock[b])
            plan_race_report(races, first + wrote - 1, true, i, writes, place);
        else if (b != own && read > clock[b])
            plan_race_report(races, first + read - 1, false, i, writes, place);
    }
    (writes ? races->writes : races->reads)[at + (size_t)own] = clock[own];
}

static void
touch_all(const struct races *races, size_t i)
{
    const struct peal_plan_step *step = &races->plan->steps[i];

    for (int c = 0; c < step->count; c++) {
        struct peal_plan_place source = {step->source.buffer, step->source.chunk + c};
        struct peal_plan_place target = {step->target.buffer, step->target.chunk + c};

        if (step_reads_source(step))
            plan_race_touch(races, i, source, false);
        if (step_reads_target(step))
            plan_race_touch(races, i, target, false);
        if (step_writes(step))
            plan_race_touch(races, i, target, true);
    }
}

static enum peal_status
find_on_node(struct races *races, int node, struct peal_error *error)
{
    const struct peal_plan *plan = races->plan;
    size_t width = (size_t)plan->node[node].count, memory = (size_t)peal_plan_memory(plan, node);

    if (width < 2)
        return PEAL_OK;
    races->node = node;
    races->blocks = (int)width;
    races->clocks = calloc(plan->step_count * width + 1, sizeof *races->clocks);
    races->reads = calloc(memory * width + 1, sizeof *races->reads);
    races->writes = calloc(memory * width + 1, sizeof *races->writes);
    bool room = races->clocks && races->reads && races->writes;

    for (size_t i = 0; room && i < races->order->count; i++) {
        size_t step = races->order->sequence[i];

        set_clock(races, step);
        if (plan->blocks[plan->steps[step].block].node == node)
            touch_all(races, step);
    }
    free(races->clocks);
    free(races->reads);
    free(races->writes);
    return room ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory to look for races");
}

enum peal_status
races_find(const struct order *order, struct peal_plan_verdict *verdict, struct peal_error *error)
{
    struct races races = {.order = order, .plan = order->plan, .verdict = verdict};
    enum peal_status status = PEAL_OK;

    for (int node = 0; node < order->plan->nodes && status == PEAL_OK; node++)
        status = find_on_node(&races, node, error);
    return status;
}
