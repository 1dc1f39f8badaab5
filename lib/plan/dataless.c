/* SPDX-License-Identifier: MIT */
/* Running a plan without data: steps begin in the order in which their needs are done.
 *
 * Messages are zeros.  A send is done when it is delivered; at once, if the plan can only go on with copies. */
#include "lib/plan/plan.h"
#include <peal/author.h>
#include <peal/post.h>
#include <string.h>

/* One node's work.  Its steps count from 0. */
struct dataless_work {
    const struct peal_plan *plan;
    struct peal_node *me;
    size_t first, count;
    int *missing;                /* the number of steps that each still waits for */
    size_t *begin, *dependents;  /* dependents[begin[i] .. begin[i + 1]) need step i */
    size_t *ready, ready_count;  /* the steps that may begin */
    size_t taken;                /* how many of them, the first, have begun */
    size_t *open;                /* posted and not delivered */
    struct peal_handle *handles; /* of the open steps */
    void **messages;             /* their receive buffers; NULL of a send */
    int open_count;
    void *zeros;
    int round;  /* the next round, or the phase */
    bool timed; /* some steps wait for a round */
};

static void *
dataless_alloc(const struct dataless_work *work, size_t count, size_t bytes)
{
    return peal_alloc_at(work->me, (count + 1) * bytes / peal_word_bytes(work->me) + 1, work->plan->file, 0);
}

static const struct peal_plan_step *
step_of(const struct dataless_work *work, size_t i)
{
    return &work->plan->steps[work->first + i];
}

static size_t
dataless_step_words(const struct dataless_work *work, const struct peal_plan_step *step)
{
    size_t bytes = peal_word_bytes(work->me);

    return ((size_t)step->count + bytes - 1) / bytes;
}

/* Step i is done: steps that wait for nothing else may begin. */
static void
done(struct dataless_work *work, size_t i)
{
    for (size_t j = work->begin[i]; j < work->begin[i + 1]; j++)
        if (--work->missing[work->dependents[j]] == 0)
            work->ready[work->ready_count++] = work->dependents[j];
}

static void
dataless_post(struct dataless_work *work, size_t i)
{
    const struct peal_plan_step *step = step_of(work, i);
    const struct peal_plan_block *block = &work->plan->blocks[step->block];
    size_t words = dataless_step_words(work, step);
    int at = work->open_count++;

    work->open[at] = i;
    work->messages[at] = NULL;
    if (step->does & PEAL_PLAN_SEND) {
        work->handles[at] =
            peal_send_async_at(work->me, work->zeros, words, block->send, block->channel, work->plan->file, step->line);
    } else {
        work->messages[at] = peal_alloc_at(work->me, words + 1, work->plan->file, step->line);
        work->handles[at] = peal_recv_async_at(work->me, work->messages[at], words, block->receive, block->channel,
                                               work->plan->file, step->line);
    }
    if (step->does & PEAL_PLAN_SEND && work->plan->copied)
        done(work, i);
}

/* Begin every step that may; false: none could. */
static bool
begin_ready(struct dataless_work *work)
{
    size_t kept = 0, taken = work->taken;
    bool any = false;

    for (size_t j = taken; j < work->ready_count; j++) {
        size_t i = work->ready[j];
        const struct peal_plan_step *step = step_of(work, i);

        if (step->round > work->round) { /* it begins later: it stays among the first */
            work->ready[taken + kept++] = i;
            continue;
        }
        any = true;
        if (step->does == 0) {
            if (step->operations > 0)
                peal_compute_at(work->me, step->operations, work->plan->file, step->line);
            done(work, i);
        } else {
            dataless_post(work, i);
        }
    }
    work->ready_count = taken + kept;
    return any;
}

/* Note delivered messages; false: there are none. */
static bool
dataless_note_delivered(struct dataless_work *work)
{
    int kept = 0, open = work->open_count;

    for (int at = 0; at < open; at++) {
        size_t i = work->open[at];
        const struct peal_plan_step *step = step_of(work, i);

        if (!peal_is_complete_at(work->me, work->handles[at], NULL, work->plan->file, step->line)) {
            work->open[kept] = i;
            work->handles[kept] = work->handles[at];
            work->messages[kept++] = work->messages[at];
            continue;
        }
        peal_wait_envelope_at(work->me, work->handles[at], work->plan->file, step->line);
        if (work->messages[at])
            peal_free(work->me, work->messages[at]);
        if (!(step->does & PEAL_PLAN_SEND && work->plan->copied))
            done(work, i);
    }
    work->open_count = kept;
    return kept < open;
}

/* List the dependents of each step. */
static void
dataless_prepare(struct dataless_work *work)
{
    const struct peal_plan *plan = work->plan;
    size_t most = 0;

    work->missing = dataless_alloc(work, work->count, sizeof *work->missing);
    work->begin = dataless_alloc(work, work->count + 1, sizeof *work->begin);
    work->ready = dataless_alloc(work, work->count, sizeof *work->ready);
    work->open = dataless_alloc(work, work->count, sizeof *work->open);
    work->handles = dataless_alloc(work, work->count, sizeof *work->handles);
    work->messages = dataless_alloc(work, work->count, sizeof *work->messages);
    memset(work->begin, 0, (work->count + 2) * sizeof *work->begin);
    for (size_t i = 0; i < work->count; i++) {
        const struct peal_plan_step *step = step_of(work, i);

        work->missing[i] = step->need_count;
        work->timed |= step->round > 0;
        if (step->need_count == 0)
            work->ready[work->ready_count++] = i;
        if (step->does & PEAL_PLAN_SEND && dataless_step_words(work, step) > most)
            most = dataless_step_words(work, step);
        for (int j = 0; j < step->need_count; j++)
            work->begin[plan->needs[step->needs + (size_t)j] - work->first + 2]++;
    }
    for (size_t i = 2; i <= work->count + 1; i++)
        work->begin[i] += work->begin[i - 1];
    work->dependents = dataless_alloc(work, work->begin[work->count + 1], sizeof *work->dependents);
    for (size_t i = 0; i < work->count; i++) /* begin[i + 1] moves from the begin to the end of i's list */
        for (int j = 0; j < step_of(work, i)->need_count; j++)
            work->dependents[work->begin[plan->needs[step_of(work, i)->needs + (size_t)j] - work->first + 1]++] = i;
    work->zeros = dataless_alloc(work, most, peal_word_bytes(work->me));
    memset(work->zeros, 0, most * peal_word_bytes(work->me));
}

static void
dataless_run(struct peal_node *me, void *arg)
{
    const struct peal_plan *plan = arg;
    const struct peal_plan_node *node = &plan->node[peal_rank(me)];
    struct dataless_work work = {.plan = plan, .me = me, .round = 1};
    char where[100];

    for (int b = 0; b < node->count; b++)
        work.count += plan->blocks[node->first + b].count;
    if (work.count == 0 && plan->phases == 0)
        return;
    work.first = work.count > 0 ? plan->blocks[node->first].first : 0;
    dataless_prepare(&work);
    for (;;) {
        while (begin_ready(&work) || dataless_note_delivered(&work))
            ;
        if (work.open_count == 0 && work.ready_count == 0 && work.round >= plan->phases)
            break;
        if (plan->phases > 0 && work.open_count == 0) {
            peal_meet_at(me, &(struct peal_meeting){.number = work.round++}, plan->file, 0);
        } else if (work.timed && plan->phases == 0) {
            peal_next_round_at(me, plan->file, 0);
            work.round++;
        } else {
            peal_wait_any_at(me, work.handles, work.open_count, plan->file, step_of(&work, work.open[0])->line);
        }
    }
    for (size_t i = 0; i < work.count; i++)
        if (work.missing[i] > 0)
            peal_fail_at(me, PEAL_DEADLOCK, plan->file, step_of(&work, i)->line, "%s needs a step that is never done",
                         peal_plan_where(plan, work.first + i, where, sizeof where));
}

const struct peal_failure *
peal_plan_run(struct peal_machine *machine, const struct peal_plan *plan)
{
    return peal_run(machine, dataless_run, (void *)plan);
}
