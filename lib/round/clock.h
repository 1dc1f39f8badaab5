/* SPDX-License-Identifier: MIT */
/* The critical path: clocks of nodes and of the places of their ports, with no global step (design.md, section 3). */
#ifndef LIB_ROUND_CLOCK_H
#define LIB_ROUND_CLOCK_H

#include <peal/cost.h>

struct clocks {
    struct peal_parameters parameters;
    struct peal_cost *node; /* one a node */
    struct peal_cost last;  /* the latest end of any transfer */
};

static inline double
clock_time(const struct peal_parameters *parameters, const struct peal_cost *clock)
{
    return (double)clock->alpha * parameters->alpha + (double)clock->beta * parameters->beta
        + (double)clock->hop * parameters->hop + (double)clock->tau * parameters->tau;
}

/* Whether a is later than b: larger in time at the parameters, then in (alpha, beta, hop, tau). */
static inline bool
clock_later(const struct peal_parameters *parameters, const struct peal_cost *a, const struct peal_cost *b)
{
    /* Parameters are not negative and rounding keeps order, so what is no less in each coefficient is no less in time:
     * for most pairs, nodes in step above all, no time need be computed. */
    if ((a->alpha <= b->alpha) & (a->beta <= b->beta) & (a->hop <= b->hop) & (a->tau <= b->tau))
        return false;
    if ((a->alpha >= b->alpha) & (a->beta >= b->beta) & (a->hop >= b->hop) & (a->tau >= b->tau))
        return true;
    double time_a = clock_time(parameters, a), time_b = clock_time(parameters, b);

    if (time_a > time_b || time_a < time_b)
        return time_a > time_b;
    if (a->alpha != b->alpha)
        return a->alpha > b->alpha;
    if (a->beta != b->beta)
        return a->beta > b->beta;
    if (a->hop != b->hop)
        return a->hop > b->hop;
    return a->tau > b->tau;
}

/* peal_cost_add, in registers. */
static inline struct peal_cost
clock_sum(const struct peal_cost *a, const struct peal_cost *b)
{
    struct peal_cost sum;

    int over = __builtin_add_overflow(a->alpha, b->alpha, &sum.alpha); /* four times, and one branch */

    over |= __builtin_add_overflow(a->beta, b->beta, &sum.beta);
    over |= __builtin_add_overflow(a->hop, b->hop, &sum.hop);
    over |= __builtin_add_overflow(a->tau, b->tau, &sum.tau);
    return over ? peal_cost_add(*a, *b) : sum;
}

/* Move *clock on to `other` if that is later. */
static inline void
clock_advance(const struct peal_parameters *parameters, struct peal_cost *clock, const struct peal_cost *other)
{
    if (clock_later(parameters, other, clock))
        *clock = *other;
}

#endif
