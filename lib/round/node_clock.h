/* SPDX-License-Identifier: MIT */
/* The critical path: clocks of nodes and of the places of their ports, with no global step (design.md, section 3). */
#pragma once

#include <peal/cost.h>
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

struct clocks {
    struct peal_parameters parameters;
    struct peal_cost *node; /* one per node */
    struct peal_cost last;  /* the latest end of any transfer */
};

static inline double
clock_time(const struct peal_parameters *parameters, const struct peal_cost *clock)
{
    return (double)clock->alpha * parameters->alpha + (double)clock->beta * parameters->beta +
           (double)clock->hop * parameters->hop + (double)clock->tau * parameters->tau;
}

/* A clock as it is compared: most nodes are in step, and four branches per comparison are slow. */
typedef int64_t clock_half __attribute__((vector_size(16)));
struct clock_lanes {
    clock_half start, work; /* alpha, beta; hop, tau */
};

static const struct clock_lanes no_clock = {{-1, -1}, {-1, -1}}; /* no clock: no coefficient is below 0 */

static inline struct clock_lanes
clock_load(const struct peal_cost *clock)
{
    struct clock_lanes lanes;

    memcpy(&lanes.start, &clock->alpha, sizeof lanes.start);
    memcpy(&lanes.work, &clock->hop, sizeof lanes.work);
    return lanes;
}

/* Load a clock that lies in an array, or in a request. */
static inline struct clock_lanes
clock_load_even(const struct peal_cost *clock)
{
    return clock_load(__builtin_assume_aligned(clock, 16));
}

static inline void
clock_store(struct peal_cost *clock, struct clock_lanes lanes)
{
    memcpy(&clock->alpha, &lanes.start, sizeof lanes.start);
    memcpy(&clock->hop, &lanes.work, sizeof lanes.work);
}

/* Whether some number is below 0. */
static inline bool
clock_negative(clock_half a, clock_half b)
{
#if defined __SSE2__
    return _mm_movemask_pd((__m128d)(a | b)) != 0;
#else
    clock_half both = a | b;

    return (both[0] | both[1]) < 0;
#endif
}

/* Whether some coefficient of a is larger than b's.  None is below 0. */
static inline bool
clock_exceeds(struct clock_lanes a, struct clock_lanes b)
{
    return clock_negative(b.start - a.start, b.work - a.work);
}

/* Whether some of these four clocks, each in an array or in a request, has changed. */
static inline bool
clocks_differ(const struct clock_lanes were[4], const struct peal_cost *a, const struct peal_cost *b,
              const struct peal_cost *c, const struct peal_cost *d)
{
    struct clock_lanes now[4] = {clock_load_even(a), clock_load_even(b), clock_load_even(c), clock_load_even(d)};
    clock_half start = (now[0].start ^ were[0].start) | (now[1].start ^ were[1].start) |
                       (now[2].start ^ were[2].start) | (now[3].start ^ were[3].start);
    clock_half work = (now[0].work ^ were[0].work) | (now[1].work ^ were[1].work) | (now[2].work ^ were[2].work) |
                      (now[3].work ^ were[3].work);
    clock_half both = start | work;

#if defined __SSE2__
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)both, _mm_setzero_si128())) != 0xFFFF;
#else
    return (both[0] | both[1]) != 0;
#endif
}

/* Whether a is later than b: in time at the parameters, then in (alpha, beta, hop, tau).  Their difference decides, so
 * that it does not depend on when the run is (lib/score).  The halves of both, in registers. */
static __attribute__((noinline, unused)) bool
clock_later_in_time(const struct peal_parameters *parameters, clock_half a_start, clock_half a_work, clock_half b_start,
                    clock_half b_work)
{
    struct peal_cost by;

    clock_store(&by, (struct clock_lanes){a_start - b_start, a_work - b_work});
    double time = clock_time(parameters, &by);

    if (time > 0 || time < 0)
        return time > 0;
    if (by.alpha != 0)
        return by.alpha > 0;
    if (by.beta != 0)
        return by.beta > 0;
    if (by.hop != 0)
        return by.hop > 0;
    return by.tau > 0;
}

/* Whether a is later than b: larger in time at the parameters, then in (alpha, beta, hop, tau). */
static inline bool
clock_later(const struct peal_parameters *parameters, struct clock_lanes a, struct clock_lanes b)
{
    /* Parameters are not negative and rounding keeps order, so a clock that is no less in each coefficient is no less
     * in time: for most pairs, nodes in step above all, no time need be computed. */
    if (!clock_exceeds(a, b))
        return false;
    if (!clock_exceeds(b, a))
        return true;
    return clock_later_in_time(parameters, a.start, a.work, b.start, b.work);
}

/* The later of the two. */
static inline struct clock_lanes
clock_latest(const struct peal_parameters *parameters, struct clock_lanes a, struct clock_lanes b)
{
    return clock_later(parameters, b, a) ? b : a;
}

/* peal_cost_add, in registers. */
static inline struct clock_lanes
clock_sum(struct clock_lanes a, struct clock_lanes b)
{
    /* unsigned, so that the sum may overflow; neither is below 0 */
    typedef uint64_t half __attribute__((vector_size(16)));
    struct clock_lanes sum = {(clock_half)((half)a.start + (half)b.start), (clock_half)((half)a.work + (half)b.work)};

    if (clock_negative(sum.start, sum.work)) { /* overflow saturates */
        sum.start = (sum.start | sum.start >> 63) & INT64_MAX;
        sum.work = (sum.work | sum.work >> 63) & INT64_MAX;
    }
    return sum;
}

/* Advance *clock to `other` if that is later. */
static inline void
clock_advance(const struct peal_parameters *parameters, struct peal_cost *clock, struct clock_lanes other)
{
    if (clock_later(parameters, other, clock_load(clock)))
        clock_store(clock, other);
}
