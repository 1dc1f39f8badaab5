/* SPDX-License-Identifier: MIT */
/* Formats in which a run is written for other tools.  A format is one file that fills one of these, and one line in
 * formats.def.  It is given the run's rounds one after another and writes what it can at once: a trace may be many
 * times as long as memory. */
#pragma once

#include "lib/machine/callers.h"
#include <stdio.h>

/* The facts known before the first round.  Lives until `end` has returned. */
struct trace_run {
    FILE *out;
    int nodes;
    size_t word_bytes;
    struct peal_pricing pricing;
    struct peal_parameters parameters;
};

/* One round.  Lives during the call.  A run that is watched also gives rounds with neither a transfer nor a charge,
 * which are not written, with the number of the next one: nodes may go on after them. */
struct trace_round {
    uint64_t number;                 /* from 0 */
    struct peal_cost before, charge; /* of all rounds before; of this one */
    const struct peal_transfer *transfers;
    size_t count;
    const struct peal_callers *callers; /* NULL: not known */

    /* Only where the run is watched; NULL or 0 in one that was recorded. */
    const int64_t *operations; /* per node: declared before this round */
    const int32_t *ran;        /* nodes that computed before it and are parked now */
    size_t ran_count;
    const int32_t *released; /* nodes that go on after it */
    size_t released_count;
};

/* The facts known after the last round. */
struct trace_end {
    const char *name;                   /* the target: "scatter/binomial", "hello.c" */
    const struct peal_options *options; /* topology and routing in full */
    struct peal_cost cost;
    const struct peal_failure *failure; /* NULL: none, or the run was recorded */
    const char *failure_text;           /* as it was recorded, JSON; NULL: none */
};

struct trace_format {
    const char *name;    /* "chrome" */
    const char *summary; /* one line */

    /* A format's state between the calls is *own, NULL at first.  The rounds come only after `begin` has succeeded; end
     * is always called, with NULL after an error, and frees *own.
     *
     *   errors   PEAL_RESOURCES without memory; PEAL_USAGE for data that it cannot express.  The caller checks the
     *            stream for failed writes. */
    enum peal_status (*begin)(const struct trace_run *run, void **own, struct peal_error *error);
    enum peal_status (*round)(const struct trace_run *run, void *own, const struct trace_round *round,
                              struct peal_error *error);
    enum peal_status (*end)(const struct trace_run *run, void *own, const struct trace_end *end,
                            struct peal_error *error);
};

#define FORMAT(name) extern const struct trace_format trace_##name;
#include "lib/record/formats.def"
#undef FORMAT
