/* SPDX-License-Identifier: MIT */
/* Runs as JSON documents "peal/run/1", written and read; traces for other tools; where the time of a run went. */
#ifndef PEAL_TRACE_H
#define PEAL_TRACE_H

#include <peal/collective.h>
#include <peal/machine.h>
#include <peal/observe.h>
#include <stdio.h>

PEAL_BEGIN

/* Write the last run of `machine` as one JSON document, event by event.  `outcome` is NULL for a node program, whose
 * name is `program` (else NULL).
 *
 *   errors   PEAL_RESOURCES when writing fails                                             */
PEAL_API enum peal_status peal_write_json(FILE *out, const struct peal_machine *machine,
                                          const struct peal_outcome *outcome, const char *program,
                                          struct peal_error *error);

/* ------------------------------------------------------------------ recorded runs */

/* What the nodes of a program have shown (peal_show), node by node, each value with the rounds that were over. */
struct peal_shown {
    size_t count;
    struct peal_shown_value {
        int node;
        uint64_t round;
        char *name;
        long double value;
    } * values;
};

/* A run read from a document. */
struct peal_record {
    char *collective, *algorithm; /* NULL for a program */
    char *program;                /* NULL for a collective */
    struct peal_options options;  /* the machine; its strings belong to the record, topology and routing are in full */
    bool has_block_words, has_vector_words, has_root;
    size_t block_words, vector_words;
    int root;
    int parameter;    /* of the algorithm, "16" in "chain:16"; 0 none */
    int by;           /* of a shift */
    char *op;         /* of a reduction; NULL without one, and for sum */
    char *to, *sizes; /* of a multicast, of unequal blocks: JSON, unchanged; NULL for null or when left out */
    struct peal_schedule schedule; /* every transfer */
    struct peal_cost cost;
    bool has_critical_path;
    struct peal_cost critical_path;
    char *data, *failure, *host; /* JSON, unchanged; NULL for null or when left out */

    /* set by peal_record_price; all zero before */
    const struct peal_algorithm *known; /* in the catalogue; NULL when it is not, or does not fit the machine */
    bool has_closed_form, closed_form_equal, has_lower_bound;
    struct peal_cost closed_form, lower_bound;
    char closed_form_text[PEAL_CLOSED_TEXT]; /* "": there is no short one */
    const char *closed_form_source;          /* which has this formula, or "derived here"; without one, why, or NULL */
    const char *lower_bound_source;
    struct peal_cut lower_bound_cut; /* of no nodes where another bound is better */

    struct peal_callers callers;              /* the record's own; of a document without calls there are none */
    char *findings;                           /* JSON, unchanged; NULL when left out */
    struct peal_shown shown;                  /* the record's own */
    struct peal_collective_calls collectives; /* the record's own, as callers are */
    char *through;                            /* JSON, unchanged: functions that pass calls on; NULL when left out */
};

/* Read a document that was written by peal_write_json with every round: `count` bytes of the file called `name`.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   PEAL_USAGE when it is not such a document: one line with the line of the file, the place in the document
 *            and what was expected; PEAL_RESOURCES without memory */
PEAL_API struct peal_record *peal_read_json(const char *name, const void *bytes, size_t count,
                                            struct peal_error *error);
PEAL_API void peal_record_destroy(struct peal_record *record);

/* Price a recorded run on another machine: gives a second record, of the same transfers, charged with the topology,
 * routing, switching, congestion, parameters and `rounds` of `options`; the rest of *options is not read.  The closed
 * form and the lower bound are those of the algorithm there, where the catalogue has it.  The critical path stays where
 * it cannot change, else there is none: a document does not record when requests were posted.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   PEAL_USAGE when the network does not fit the nodes; PEAL_RESOURCES without memory         */
PEAL_API struct peal_record *peal_record_price(const struct peal_record *record, const struct peal_options *options,
                                               struct peal_error *error);

/* Write a record as peal_write_json writes a run.  errors: PEAL_RESOURCES when writing fails */
PEAL_API enum peal_status peal_write_record(FILE *out, const struct peal_record *record, struct peal_error *error);

/* ------------------------------------------------------------------ for other tools */

/* The i-th format of traces, its name ("chrome", "goal") and one line about it; false after the last. */
PEAL_API bool peal_trace_format(int i, const char **name, const char **summary);

/* Write a recorded run in the format of this name.
 *
 *   errors   PEAL_USAGE when the format is unknown, or the run's network cannot be created; PEAL_RESOURCES without
 *            memory, or when writing fails */
PEAL_API enum peal_status peal_write_trace(FILE *out, const char *format, const struct peal_record *record,
                                           struct peal_error *error);

struct peal_trace;

/* Write the next run of `machine` to `out` in the format of this name, each round when it is made ("goal" at the end),
 * so that no round needs to be kept: rounds may be PEAL_ROUNDS_NONE.  peal_trace_end ends it, before the machine is
 * destroyed; `name` is the trace's name of the run, NULL when there was none.
 *
 *   owner    borrows out and machine until peal_trace_end; NULL after an error
 *   errors   as peal_write_trace; failures during the run are reported at the end                     */
PEAL_API struct peal_trace *peal_trace_begin(FILE *out, const char *format, struct peal_machine *machine,
                                             struct peal_error *error);
PEAL_API enum peal_status peal_trace_end(struct peal_trace *trace, const char *name, struct peal_error *error);

/* The link that the most transfers of a round share; among equals the one with the most words, then the one met first.
 * from and to are nodes by their ranks, or switches by the numbers from P on. */
struct peal_hot_link {
    int from, to;
    uint64_t words;
    uint64_t transfers; /* 0: the round uses no link */
    uint32_t capacity;  /* the link with the largest k, ⌈transfers/capacity⌉, is the hottest */
};

/* Find the hottest link of one round, walking every route.
 *
 *   errors   PEAL_RESOURCES without memory                                                 */
PEAL_API enum peal_status peal_hottest_link(const struct peal_pricing *pricing, const struct peal_transfer *transfers,
                                            size_t count, struct peal_hot_link *link, struct peal_error *error);

/* Called with the route of a transfer: its vertices, path[0] = from to path[hops] = to, valid only during the call. */
typedef void (*peal_route_visitor)(void *context, size_t transfer, const int *path, int hops);

/* Visit the route of every transfer of one round, in their order; with routing "best" those that were chosen together.
 *
 *   errors   PEAL_RESOURCES without memory                                                 */
PEAL_API enum peal_status peal_round_routes(const struct peal_pricing *pricing, const struct peal_transfer *transfers,
                                            size_t count, peal_route_visitor visit, void *context,
                                            struct peal_error *error);

/* Where the time of a run went.  The coefficients add up to those of its cost.
 *
 *   units    coefficients: volume, congestion, longer_routes of β; distance of t_d                 */
struct peal_breakdown {
    int64_t startups;      /* α: one per round with transfers */
    int64_t volume;        /* β: the longest message of each round, as if alone on its links and with one hop */
    int64_t longer_routes; /* β that store-forward adds for every hop after the first */
    int64_t congestion;    /* β: the rest, from transfers that shared links */
    int64_t distance;      /* t_d: hops, wormhole only */
    int64_t compute;       /* τ */
};

/* Break down the cost of a recorded schedule, charged as `switching` says. */
PEAL_API struct peal_breakdown peal_where_time_went(const struct peal_schedule *schedule,
                                                    enum peal_switching switching);

PEAL_END

#endif
