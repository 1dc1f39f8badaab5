/* SPDX-License-Identifier: MIT */
/* peal export: write a run, recorded or made now, in the form of another tool. */
#include "command.h"
#include "document.h"
#include "session.h"

static int
export_record(const struct request *request)
{
    struct peal_error error = {PEAL_OK, ""}, why = {PEAL_OK, ""};
    struct output file = {0};
    enum peal_status status = request->trace_file ? output_open(&file, request->trace_file, &error) : PEAL_OK;
    struct peal_record *record = status == PEAL_OK ? document_read(request->arguments[0], &error) : NULL;

    if (record && record->failure)
        fputs("peal: note: the recorded run failed; what is written are the rounds it made until then\n", stderr);
    if (record && peal_write_trace(file.stream ? file.stream : stdout, request->trace_format, record, &why) != PEAL_OK)
        peal_refuse(&error, why.status, "%s%s%s", file.stream ? file.path : "", file.stream ? ": " : "", why.text);
    else if (record)
        output_commit(&file, &error);
    output_discard(&file);
    peal_record_destroy(record);
    return error.status == PEAL_OK ? 0 : complain(&error);
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
