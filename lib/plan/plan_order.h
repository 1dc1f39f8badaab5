/* SPDX-License-Identifier: MIT */
/* The order that a plan's steps have: which send meets which receive, and one sequence of steps that keeps all of
 * it. */
#ifndef LIB_PLAN_PLAN_ORDER_H
#define LIB_PLAN_PLAN_ORDER_H

#include "lib/plan/plan.h"

/* How long a block, and the steps that need a send, wait for it. */
enum order_delivery {
    ORDER_BUFFERED,  /* nothing waits for its delivery */
    ORDER_DELIVERED, /* steps that need it wait, its block goes on: as plans are run */
    ORDER_STRICT,    /* its block waits, too */
};

/* Step a waits for step b, or, with SIZE_MAX, for a message that no step sends. */
struct order_cycle {
    size_t *steps; /* each waits for the next, the last for the first, or for nothing that comes */
    size_t count;
    bool closed;
};

struct order {
    const struct peal_plan *plan;
    size_t *comes_from; /* of a step that receives: the step that sends it; SIZE_MAX none */
    size_t *goes_to;    /* of a step that sends: the step that receives it; SIZE_MAX none */
    size_t *sequence;   /* all steps, each after those it waits for; without buffered deadlocks only */
    size_t count;       /* of these: fewer than the plan has where it deadlocks */
};

/* Find the partners.  errors: PEAL_RESOURCES */
enum peal_status order_init(struct order *order, const struct peal_plan *plan, struct peal_error *error);
void order_fini(struct order *order);

/* Whether all steps can be done when sends are delivered like this; fills order->sequence.  If not, *cycle (unless
 * NULL) says why.
 *
 *   owner    the caller frees cycle->steps
 *   errors   PEAL_RESOURCES, in *error */
bool order_sort(struct order *order, enum order_delivery delivery, struct order_cycle *cycle, struct peal_error *error);

/* The steps that step i is done after, without those that are before these: that before it in its block, the send of
 * what it receives, and its needs.  SIZE_MAX after the last; `at` counts from 0. */
size_t order_before(const struct order *order, size_t i, size_t at);

#endif
