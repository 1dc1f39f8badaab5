/* SPDX-License-Identifier: MIT */
/* peal export: write a run, recorded or made now, in the form of another tool. */
#include "command.h"
#include "document.h"
#include "session.h"
#include "writings.h"

/* A recorded run, and the form that it is written in. */
struct export
{
    const char *format;
    struct peal_record *record;
};

static enum peal_status
write_trace(FILE *out, const void *what, struct peal_error *error)
{
    const struct export *export = what;

    return peal_write_trace(out, export->format, export->record, error);
}

static int
export_record(const struct request *request)
{
    struct peal_error error = {PEAL_OK, ""};
    struct writings writings = {.list = {{write_trace, request->trace_file, !request->trace_file}}};
    struct export export = {.format = request->trace_format};
    enum peal_status status = writings_open(&writings, &error);

    if (status == PEAL_OK && !(export.record = document_read(request->arguments[0], &error)))
        status = error.status;
    if (status == PEAL_OK && export.record->failure)
        fputs("peal: note: the recorded run failed; what is written are the rounds it made until then\n", stderr);
    if (status == PEAL_OK)
        status = writings_end(&writings, &export, NULL, &error);
    writings_fini(&writings);
    peal_record_destroy(export.record);
    return status == PEAL_OK ? 0 : complain(&error);
}

static int
run(const struct request *request)
{
    struct request with_format = *request;
    struct peal_error error;

    if (!with_format.trace_format) {
        peal_refuse(&error, PEAL_USAGE, "say in which form, as in peal export --goal %s",
                    request->argument_count ? request->arguments[0] : "scatter");
        return complain(&error);
    }
    if (request->argument_count == 1 && !request->program && is_record(request->arguments[0]))
        return export_record(request);
    with_format.machine.rounds = PEAL_ROUNDS_NONE;
    return session_run(&with_format, session_complain);
}

static const char *const lacks[] = {"json",   "trace",      "report",      "rounds", "input",
                                    "output", "tag-output", "repetitions", NULL};

const struct command command_export = {
    .name = "export",
    .arguments = "RUN.json | COLLECTIVE[/ALGORITHM] | FILE.c  [options]",
    .summary = "write a run in the form of another tool",
    .examples = "  peal export --goal scatter -p 16 -o scatter.goal    a schedule for LogGOPSim\n"
                "  peal export --goal run.json > run.goal              the same of a recorded run\n"
                "  peal export --format chrome run.json -o trace.json  a trace for Perfetto\n",
    .takes = OPTIONS_MACHINE | OPTIONS_TARGET | OPTIONS_EXPORT,
    .lacks = lacks,
    .completes = WORDS_TARGET,
    .run = run,
};
