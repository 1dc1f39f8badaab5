/* SPDX-License-Identifier: MIT */
/* The parts of a judgement: each adds what it finds to the verdict. */
#pragma once

#include "lib/plan/plan.h"

/* What waits for the delivery of a send. */
enum order_delivery {
    ORDER_BUFFERED,  /* nothing waits for its delivery */
    ORDER_DELIVERED, /* steps that need it wait, its block goes on: this is how plans are run */
    ORDER_STRICT,    /* its block waits, too */
};

/* Step a waits for step b, or, with SIZE_MAX, for a message that no step sends. */
struct order_cycle {
    size_t *steps; /* each waits for the next, the last for the first or for a message that never comes */
    size_t count;
    bool closed;
};

struct order {
    const struct peal_plan *plan;
    size_t *comes_from; /* of a step that receives: the step that sends it; SIZE_MAX none */
    size_t *goes_to;    /* of a step that sends: the step that receives it; SIZE_MAX none */
    size_t *sequence;   /* all steps, each after those it waits for, if the plan does not deadlock */
    size_t count;       /* how many: fewer than the plan's steps if it deadlocks */
};

/* Find the partners.  errors: PEAL_RESOURCES */
enum peal_status order_init(struct order *order, const struct peal_plan *plan, struct peal_error *error);
void order_fini(struct order *order);

/* Whether all steps can be done with this delivery of sends; fills order->sequence.  If not, *cycle (unless NULL) says
 * why.
 *
 *   owner    the caller frees cycle->steps
 *   errors   PEAL_RESOURCES, in *error */
bool order_sort(struct order *order, enum order_delivery delivery, struct order_cycle *cycle, struct peal_error *error);

/* The steps directly before step i: the one before it in its block, the send of what it receives, and its needs.
 * SIZE_MAX after the last; `at` counts from 0. */
size_t order_before(const struct order *order, size_t i, size_t at);

/* Count a finding; gives it when it is the first of its kind, for the caller to describe, else NULL. */
struct peal_plan_finding *verdict_add(struct peal_plan_verdict *verdict, enum peal_plan_kind kind);

/* Write "chunk 5 of the output of node 3". */
char *place_text(int node, struct peal_plan_place place, char *text, size_t bytes);

/* Chunks that a step reads (its source, or the target that it reduces into), or writes; false: none. */
static inline bool
step_reads_source(const struct peal_plan_step *step)
{
    return step->does != 0 && (!(step->does & PEAL_PLAN_RECEIVE) || step->does & PEAL_PLAN_REDUCE);
}

static inline bool
step_reads_target(const struct peal_plan_step *step)
{
    return step->does == (PEAL_PLAN_REDUCE | PEAL_PLAN_COPY);
}

static inline bool
step_writes(const struct peal_plan_step *step)
{
    return step->does & PEAL_PLAN_COPY;
}

/* Find chunks that two blocks touch in no order, in a plan whose steps are sorted.  errors: PEAL_RESOURCES */
enum peal_status races_find(const struct order *order, struct peal_plan_verdict *verdict, struct peal_error *error);

/* Carry the steps out in their order with labels for chunks, and compare the result with the collective's row.
 *
 *   thread   one at a time in a process
 *   errors   PEAL_USAGE when there are more chunks than labels; PEAL_RESOURCES */
enum peal_status proof_make(const struct order *order, struct peal_plan_verdict *verdict, struct peal_error *error);
