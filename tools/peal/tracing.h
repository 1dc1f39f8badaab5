/* SPDX-License-Identifier: MIT */
/* A run written for other tools while it goes on: --trace FILE, and peal export. */
#ifndef PEAL_TRACING_H
#define PEAL_TRACING_H

#include "files.h"
#include "options.h"
#include <peal/trace.h>

/* Zeroed, nothing is traced. */
struct tracing {
    struct output file; /* no stream: standard output, for peal export, or none */
    struct peal_trace *trace;
};

/* Open the trace that the command line asks for, before the work begins.  errors: PEAL_USAGE when the file cannot be
 * written */
enum peal_status tracing_open(struct tracing *tracing, const struct request *request, struct peal_error *error);

/* Have the machine's next run traced, if that was requested.  errors: PEAL_RESOURCES when out of memory */
enum peal_status tracing_begin(struct tracing *tracing, const struct request *request, struct peal_machine *machine,
                               struct peal_error *error);

/* The run is over: end the trace, and put the file under its name.  The run is called `name`.
 *
 *   errors   the failure of the trace, or of writing it; then no file has changed              */
enum peal_status tracing_end(struct tracing *tracing, const char *name, struct peal_error *error);

/* Free the trace, while the machine exists, if tracing_end was not called. */
void tracing_fini(struct tracing *tracing);

#endif
