/* SPDX-License-Identifier: MIT */
/* What a run costs: integer coefficients, the recorded schedule, and pricing it on a network. */
#ifndef PEAL_COST_H
#define PEAL_COST_H

#include <peal/base.h>

PEAL_BEGIN

struct peal_network;

/* T = alpha·α + beta·β + hop·t_d + tau·τ, kept exactly.  A coefficient that is too large to count is INT64_MAX, and so
 * is every sum with it: see peal_cost_counted. */
struct peal_cost {
    int64_t alpha; /* start-ups */
    int64_t beta;  /* words, times the transfers that shared their link */
    int64_t hop;   /* hops (wormhole only) */
    int64_t tau;   /* compute operations */
};

/* The values of α, β, t_d and τ in one unit of time.  Used to print and to compare, never to count. */
struct peal_parameters {
    double alpha, beta, hop, tau;
};

enum peal_switching { PEAL_IDEAL, PEAL_WORMHOLE, PEAL_STORE_FORWARD };
enum peal_congestion { PEAL_COUNT, PEAL_VOLUME };

/* Whether a parameter is in range: 0, or from 1e-100 to 1e100.  Then no time of a cost and no ratio of two times is
 * infinite. */
PEAL_API bool peal_parameter_allowed(double parameter);

/* How rounds are charged. */
struct peal_pricing {
    const struct peal_network *network; /* borrowed */
    enum peal_switching switching;
    enum peal_congestion congestion;
};

/* One matched send and receive, carried in one round. */
struct peal_transfer {
    uint64_t words;
    int32_t from, to;
    uint32_t hops;     /* links on its route; 0 to oneself */
    uint32_t k;        /* the most transfers of its round that share one link of its route; 1 without links */
    uint32_t calls[2]; /* the numbers of its send's call and its receive's (peal_callers); 0: not known */
};

struct peal_round {
    struct peal_cost charge;
    size_t first; /* its transfers are transfers[first .. first + count) in the order of admission */
    size_t count;
};

/* A round of a run in short. */
struct peal_round_summary {
    struct peal_cost charge, total; /* total: of this round and all before it */
    size_t transfers;
    uint32_t k; /* the largest of its transfers; 0 without any */
};

/* The rounds of a run that had a transfer or a charge, as values: equal rounds, and the transfers of rounds that differ
 * in their charge only, are kept once. */
struct peal_schedule {
    size_t round_count, transfer_count; /* of the run */
    uint32_t *order;                    /* round i of the run is rounds[order[i]]: peal_schedule_round */
    size_t kept_rounds, kept_transfers;
    struct peal_round *rounds; /* in the order in which each comes first */
    struct peal_transfer *transfers;
};

/* Round i of the run, from 0. */
static inline const struct peal_round *
peal_schedule_round(const struct peal_schedule *schedule, size_t i)
{
    return &schedule->rounds[schedule->order[i]];
}

/* The time of `cost` at these parameters. */
PEAL_API double peal_cost_time(struct peal_cost cost, struct peal_parameters parameters);
PEAL_API struct peal_cost peal_cost_add(struct peal_cost a, struct peal_cost b);
/* Whether every coefficient was counted: none is INT64_MAX, which means this or more. */
PEAL_API bool peal_cost_counted(struct peal_cost cost);
PEAL_API bool peal_cost_equal(struct peal_cost a, struct peal_cost b);

/* Write `cost` as a formula, "3α + 28β", "0", or "too large to count", into text (of `bytes` bytes) and return text. */
PEAL_API char *peal_cost_text(struct peal_cost cost, char *text, size_t bytes);

/* Charge a recorded schedule again under `pricing`: rewrites hops, k and every round's alpha, beta and hop; tau stays.
 * Gives the sum in *total.
 *
 *   errors   PEAL_USAGE if a transfer names a node that the network lacks, or a round or the sum is too large to count
 *            PEAL_RESOURCES without memory                                     */
PEAL_API enum peal_status peal_price(const struct peal_pricing *pricing, struct peal_schedule *schedule,
                                     struct peal_cost *total, struct peal_error *error);

/* The names that options have: "ideal", "wormhole", "store-forward"; "count", "volume". */
PEAL_API const char *peal_switching_name(enum peal_switching switching);
PEAL_API const char *peal_congestion_name(enum peal_congestion congestion);

PEAL_END

#endif
