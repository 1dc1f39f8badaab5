/* SPDX-License-Identifier: MIT */
/* The parts of a judgement: each adds what it finds to the verdict. */
#ifndef LIB_PLAN_JUDGING_H
#define LIB_PLAN_JUDGING_H

#include "lib/plan/plan.h"
#include "lib/plan/plan_order.h"

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

/* Find chunks that two blocks touch without order, of a plan whose steps are sorted.  errors: PEAL_RESOURCES */
enum peal_status races_find(const struct order *order, struct peal_plan_verdict *verdict, struct peal_error *error);

/* Carry the steps out in their order with labels for chunks, and compare the result with the collective's row.
 *
 *   thread   one at a time in a process
 *   errors   PEAL_USAGE when there are more chunks than labels; PEAL_RESOURCES */
enum peal_status proof_make(const struct order *order, struct peal_plan_verdict *verdict, struct peal_error *error);

#endif
