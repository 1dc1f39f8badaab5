/* SPDX-License-Identifier: MIT */
/* Writes a trace while the run goes on, to its file or to standard output. */
#include "run/tracing.h"
#include <string.h>

enum peal_status
tracing_begin(struct tracing *tracing, FILE *out, const struct command_request *request, struct peal_machine *machine,
              struct peal_error *error)
{
    if (!request->document.trace_file && !request->document.trace_format)
        return PEAL_OK;
    if (strcmp(request->machine.engine, "mpi") == 0) /* its rounds are made afterwards, some of them twice */
        return peal_refuse(error, PEAL_USAGE,
                           "--engine mpi: record the run with peal run --json=RUN.json, then peal export RUN.json");
    if (!out && !request->document.trace_format)
        return PEAL_OK;
    tracing->path = out ? request->document.trace_file : NULL;
    tracing->trace = peal_trace_begin(
        out ? out : stdout, request->document.trace_format ? request->document.trace_format : "chrome", machine, error);
    return tracing->trace ? PEAL_OK : error->status;
}

enum peal_status
tracing_end(struct tracing *tracing, const char *name, struct peal_error *error)
{
    struct peal_error why = {PEAL_OK, ""};
    struct peal_trace *trace = tracing->trace;

    tracing->trace = NULL;
    if (!trace)
        return PEAL_OK;
    enum peal_status status = peal_trace_end(trace, name, &why);

    if (status == PEAL_OK)
        return PEAL_OK;
    if (tracing->path && status == PEAL_RESOURCES)
        return peal_refuse(error, status, "%s: %s", tracing->path, why.text);
    return peal_refuse(error, status, "%s", why.text);
}

void
tracing_fini(struct tracing *tracing)
{
    peal_trace_end(tracing->trace, NULL, NULL);
}
