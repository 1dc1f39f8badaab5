/* SPDX-License-Identifier: MIT */
/* peal export: write a run, recorded or made now, in the form of another tool. */
#include "commands/commands.h"
#include "lib/base/shell_word.h"

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

/* The options that are of use for a recorded run. */
static const char *const of_recorded[] = {"format", "output", "max-document", "topology", NULL};

static int
export_record(const struct command_request *request)
{
    struct peal_error error = {PEAL_OK, ""};
    struct writings writings = {
        .list = {{write_trace, request->document.trace_file, !request->document.trace_file, false}}};
    struct export export = {.format = request->document.trace_format};
    enum peal_status status = options_fit_recorded(request, of_recorded, "peal export --format goal scatter", &error);

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK && !(export.record = document_read(request->arguments[0], &error)))
        status = error.status;
    if (status == PEAL_OK)
        status = document_fits(request, request->arguments[0], export.record->options.topology, &error);
    if (status == PEAL_OK && export.record->failure)
        fputs("peal: note: the recorded run failed; the rounds that it made until then are written\n", stderr);
    status = writings_close(&writings, status, &export, &error);
    peal_record_destroy(export.record);
    return status == PEAL_OK ? 0 : complain(&error);
}

/* ------------------------------------------------------------------ schedules */

static enum peal_status
write_schedule(FILE *out, const void *plan, struct peal_error *error)
{
    return peal_plan_write_msccl(out, plan, error);
}

/* Record the schedule of a run of the target; an imported schedule is taken as it is.  *made is the caller's. */
static const struct peal_plan *
export_find_schedule(const struct command_request *request, struct peal_plan **made, struct peal_error *error)
{
    struct session session = {.program = NULL};
    const struct peal_algorithm *algorithm;
    struct peal_exercise exercise;
    const struct peal_plan *plan = NULL;
    const char *what = request->argument_count == 1 && !request->program ? request->arguments[0] : NULL;

    *made = NULL;
    if (!what || is_record(what) || request->function.file) {
        peal_refuse(error, PEAL_USAGE,
                    "--format msccl takes one collective, as in peal export --format msccl allgather/ring");
        return NULL;
    }
    if (target_find(&session, what, error) != PEAL_OK)
        return NULL;
    if (session.program) {
        peal_refuse(error, PEAL_USAGE, "%s is a program: --format msccl writes the schedules of collectives", what);
        return NULL;
    }
    algorithm = session.algorithm ? peal_algorithm_find(session.collective, session.algorithm) : NULL;
    if (algorithm && (plan = peal_plan_of(algorithm)))
        return plan;
    exercise_notes(request, session.collective);
    exercise = exercise_of(request, session.collective);
    exercise.algorithm = session.algorithm;
    if (exercise_size(request, session.collective, &exercise.words, error) == PEAL_OK)
        plan = *made = peal_plan_record(&request->machine, &exercise, error);
    return plan;
}

static int
export_schedule(const struct command_request *request)
{
    struct peal_error error = {PEAL_OK, ""};
    struct writings writings = {
        .list = {{write_schedule, request->document.trace_file, !request->document.trace_file, false}}};
    struct peal_plan *made;
    const struct peal_plan *plan = export_find_schedule(request, &made, &error);
    enum peal_status status = plan ? writings_open(&writings, &error) : error.status;

    status = writings_close(&writings, status, plan, &error);
    peal_plan_destroy(made);
    return status == PEAL_OK ? 0 : complain(&error);
}

/* ------------------------------------------------------------------ the command */

static int
command_export_run(const struct command_request *request)
{
    struct command_request with_format = *request;

    if (!with_format.document.trace_format)
        return complain_of(PEAL_USAGE, "expected a form, as in peal export --format goal %s",
                           request->argument_count ? pasted(request->arguments[0]).text : "scatter");
    if (strcmp(with_format.document.trace_format, "msccl") == 0)
        return export_schedule(request);
    if (request->argument_count == 1 && !request->program && is_record(request->arguments[0]))
        return export_record(request);
    with_format.machine.rounds = PEAL_ROUNDS_NONE;
    return session_run(&with_format, session_complain);
}

const struct command command_export = {
    .name = "export",
    .arguments = "RUN.json | COLLECTIVE[/ALGORITHM] | FILE.c  [options]",
    .summary = "write a run in the form of another tool",
    .examples = "  peal export --format goal scatter -o scatter.goal   a schedule for LogGOPSim\n"
                "  peal export --format goal run.json > run.goal       the same of a recorded run\n"
                "  peal export --format msccl allgather/ring -m 1      a schedule for MSCCL\n"
                "  peal export --format chrome run.json -o trace.json  a trace for Perfetto\n",
    .completes = WORDS_TARGET,
    .run = command_export_run,
};
