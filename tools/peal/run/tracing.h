/* SPDX-License-Identifier: MIT */
/* A run written for other tools while it goes on: --trace FILE, and peal export. */
#pragma once

#include "options/options.h"
#include <peal/trace.h>

/* Zeroed, nothing is traced. */
struct tracing {
    struct peal_trace *trace;
    const char *path; /* of its file; NULL: standard output */
};

/* Have the machine's next run traced to `out`, until tracing_end.  NULL: to standard output if a format was requested,
 * for peal export, else not.  errors: PEAL_RESOURCES when out of memory */
enum peal_status tracing_begin(struct tracing *tracing, FILE *out, const struct command_request *request,
                               struct peal_machine *machine, struct peal_error *error);

/* The run is over: end the trace.  The run is called `name`.  errors: the failure of the trace, or of writing it */
enum peal_status tracing_end(struct tracing *tracing, const char *name, struct peal_error *error);

/* Free the trace, while the machine exists, if tracing_end was not called. */
void tracing_fini(struct tracing *tracing);
