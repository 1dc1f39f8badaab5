/* SPDX-License-Identifier: MIT */
/* Makes one run from a request: files, machine, the run and its repetitions, and the documents at the end. */
#include "run/session.h"
#include "lib/check/orders.h"
#include "lib/cluster/part.h"
#include "lib/machine/host.h"
#include "lib/record/record.h"
#include "run/target.h"
#include "show/show.h"
#include "write/written.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ outputs */

/* The output of the run so far is complete: flush it, so that it cannot be printed twice. */
static void
note_shown(const struct session *session)
{
    if (!session->supervisor)
        return;
    fflush(NULL);
    peal_supervised_shown(session->supervisor);
}

static enum peal_status
session_write_run(FILE *out, const void *what, struct peal_error *error)
{
    const struct session *session = what;

    enum peal_status status =
        peal_write_json(out, session->machine, session->program ? NULL : &session->outcome, session->called, error);

    if (out == stdout)
        note_shown(session);
    return status;
}

/* The document of the page; if the run is too large for one, the page is made from the record alone. */
static enum peal_status
session_write_page(FILE *out, const void *what, struct peal_error *error)
{
    const struct session *session = what;
    struct peal_record *record = session->writings.paging.report.record;
    bool large = record->schedule.transfer_count > REPORT_MAX_TRANSFERS;

    return large ? report_write_run(out, record, error) : session_write_run(out, what, error);
}

static void
write_words(FILE *out, const struct session *session)
{
    fwrite(session->result, 1, session->exercise.input_bytes, out);
}

DOCUMENT_WRITER(session_document_result, write_words)
DOCUMENT_WRITER(session_document_junit, findings_write_junit)

/* The documents of a run, in the order of struct writings. */
enum { RESULT, DOCUMENT, JUNIT, SARIF };

static enum peal_status
open_outputs(struct session *session, struct peal_error *error)
{
    const struct command_request *request = session->request;

    session->writings = (struct writings){
        .request = request,
        .list = {[RESULT] = {session_document_result, request->session.output, false, false},
                 [DOCUMENT] = {session_write_run, request->document.json_file, request->document.json, true},
                 [JUNIT] = {session_document_junit, request->document.junit, false, false},
                 [SARIF] = {findings_write_sarif, request->document.sarif, false, false}},
        .page = session_write_page};
    return writings_open(&session->writings, error);
}

/* Find the target, prepare for it, and open the documents. */
static enum peal_status
session_begin(struct session *session, struct peal_error *error)
{
    enum peal_status status = session_find_target(session, error);

    if (status == PEAL_OK)
        status = session_prepare(session, error);
    return status == PEAL_OK ? open_outputs(session, error) : status;
}

/* ------------------------------------------------------------------ the run */

static bool recording; /* by take_record, in this process */

static enum peal_status
load(struct session *session, int nodes, enum peal_status (*before)(void *session, struct peal_error *error),
     struct peal_error *error)
{
    const struct command_request *request = session->request;
    struct peal_program_options options = {.compiler = request->function.compiler,
                                           .host_clock = request->session.host_clock,
                                           .before_loading = before,
                                           .arg = session};

    options.watched = session->watched;
    if (session->mpi)
        options.flags = request->function.flags;
    else if (target_flags(request, &session->flags, error) != PEAL_OK)
        return error->status;
    else
        options.flags = session->flags;
    session->argv = options.argv = calloc((size_t)request->program_count + 2, sizeof *options.argv);
    if (!options.argv)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    options.argv[options.argc++] = request->arguments[0];
    for (int i = 0; i < request->program_count; i++)
        options.argv[options.argc++] = request->program[i];
    file_note_pipe(session->program);
    options.sources = (const char *const *)request->arguments + 1; /* the list ends with NULL */
    session->file = peal_program_load(session->program, nodes, &options, error);
    if (session->file && session->processes && !(request->step && request->step->quiet)) {
        if (session->called != session->program || text_has_ending(session->program, ".py"))
            fputs("peal: each node is a process of its own\n", stderr);
        else
            fprintf(stderr, "peal: each node is a process: %s was not linked by pealcc\n", session->program);
    }
    return session->file ? PEAL_OK : error->status;
}

/* The repetitions of a collective after its first run: only where the host's clock is meaningful. */
static int
repetitions(const struct session *session)
{
    int usual = session->exercise.output ? 1 : 10;

    if (peal_machine_processes(session->machine) == 1)
        return 0;
    return session->request->launch.repetitions > 0 ? session->request->launch.repetitions : usual;
}

/* The run takes the order of arrival of --choices. */
static enum peal_status
begin_order(struct session *session, struct peal_error *error)
{
    const struct command_request *request = session->request;

    session->orders = peal_orders_given(request->machine.nodes, request->orders.choices.list,
                                        (size_t)request->orders.choices.count, error);
    if (!session->orders)
        return error->status;
    session->order = peal_orders_next(session->orders);
    if (!session->order)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the order of --choices");
    peal_order_take(session->order, session->machine);
    return PEAL_OK;
}

static enum peal_status
end_order(struct session *session, struct peal_error *error)
{
    struct peal_order_run run = peal_order_run(session->order);

    if (run.misfit)
        return peal_refuse(error, PEAL_USAGE,
                           "--choices: number %zu is not a rank whose message could be received at that point, or "
                           "another choice there",
                           run.choice_count);
    return PEAL_OK;
}

/* Make the machine and run.  `*ran` says whether the run took place, failed or not. */
static enum peal_status
session_run_machine(struct session *session, bool *ran, struct peal_error *error)
{
    struct peal_options options = session->request->machine;
    bool need_rounds = recording || writings_need_rounds(&session->writings);
    enum peal_status status = PEAL_OK;

    if (!need_rounds)
        options.rounds = PEAL_ROUNDS_NONE;
    options.output =
        session->request->document.json || session->request->document.trace_format ? STDERR_FILENO : STDOUT_FILENO;
    session->machine = peal_machine_create(&options, error);
    if (!session->machine)
        return error->status;
    status = session->program && !session->plan ? load(session, options.nodes, NULL, error) : PEAL_OK;
    session->writings.paging.profiles = session->mpi;
    if (status == PEAL_OK)
        status = writings_begin(&session->writings, session->machine, error);
    bool profiled = session->mpi && session->request->step && session->request->step->profile;

    if (status == PEAL_OK && session->mpi && (need_rounds || profiled || session->writings.tracing.trace))
        status = peal_machine_keep_callers(session->machine, error);
    if (status == PEAL_OK && profiled && !(session->profile = peal_profile_begin(session->machine, error)))
        status = error->status;
    if (status != PEAL_OK)
        return status;
    progress_attach(&session->progress, session->machine);
    peal_machine_listen(session->machine, finding_tell, &session->shown);
    if (session->plan) {
        session->failure = peal_plan_run(session->machine, session->plan);
        *ran = true;
        return session->failure ? session->failure->status : PEAL_OK;
    }
    if (session->program) {
        if (session->request->orders.choices.list && (status = begin_order(session, error)) != PEAL_OK)
            return status;
        session->failure = peal_program_run(session->machine, session->file);
        if (session->request->orders.choices.list && (status = end_order(session, error)) != PEAL_OK)
            return status;
        findings_sum(stderr, &session->shown);
        *ran = true;
        return session->failure ? session->failure->status : PEAL_OK;
    }
    status = peal_exercise(session->machine, &session->exercise, &session->outcome, error);
    for (int i = 0; i < repetitions(session) && status == PEAL_OK; i++)
        status = peal_exercise(session->machine, &session->exercise, &session->outcome, error);
    session->failure = peal_machine_failure(session->machine);
    *ran = status == PEAL_OK || session->failure || session->outcome.wrong[0];
    return status;
}

const char *
session_wrong(const struct session *session, char *text, size_t bytes)
{
    const struct peal_outcome *outcome = &session->outcome;
    char executed[100], formula[100];

    if (session->failure || session->program)
        return NULL;
    if (!outcome->verified) {
        snprintf(text, bytes, "wrong result: %s", outcome->wrong);
        return text;
    }
    if (outcome->has_closed_form && !outcome->closed_form_equal) {
        snprintf(text, bytes, "the run cost %s, but the closed form of %s says %s",
                 peal_cost_text(peal_machine_cost(session->machine), executed, sizeof executed), session->name,
                 peal_cost_text(outcome->closed_form, formula, sizeof formula));
        return text;
    }
    return NULL;
}

static enum peal_status
name_run(struct session *session, struct peal_error *error)
{
    const struct peal_algorithm *algorithm = session->outcome.algorithm;
    const char *called = algorithm ? target_name(algorithm, session->algorithm) : session->algorithm;
    int parameter = session->outcome.situation.parameter, length;

    if (session->program)
        length = asprintf(&session->name, "%s", session->called);
    else if (algorithm && parameter > 0)
        length = asprintf(&session->name, "%s/%s:%d", peal_collective_name(session->collective), called, parameter);
    else
        length = asprintf(&session->name, "%s/%s", peal_collective_name(session->collective), called);
    if (length >= 0)
        return PEAL_OK;
    session->name = NULL;
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

/* Write the requested documents after a run that took place. */
static enum peal_status
write_files(struct session *session, bool complete, struct peal_error *error)
{
    if (!complete)
        writings_drop(&session->writings, RESULT);
    enum peal_status status = paging_record(&session->writings.paging, session->machine,
                                            session->program ? NULL : &session->outcome, session->called, error);

    if (status == PEAL_OK)
        status = writings_end(&session->writings, session, session->name, error);
    int lost = peal_machine_output_error(session->machine);

    if (status == PEAL_OK && lost && peal_machine_options(session->machine)->output == STDOUT_FILENO)
        status = peal_refuse(error, PEAL_RESOURCES, "what the nodes printed could not be written: %s", strerror(lost));
    return status;
}

void
session_fini(struct session *session)
{
    writings_fini(&session->writings);
    peal_profile_end(session->profile);
    peal_program_destroy(session->file);
    peal_machine_destroy(session->machine);
    peal_algorithm_unload(session->own);
    peal_supervisor_destroy(session->supervisor);
    shown_fini(&session->shown);
    if (session->order)
        peal_orders_done(session->orders, session->order);
    peal_orders_destroy(session->orders);
    free(session->argv);
    free(session->flags);
    free(session->input);
    free(session->result);
    free(session->name);
}

/* Whether the system refused from the start what the machine needs: then there is no run to report, and no line. */
static bool
never_began(const struct session *session)
{
    return session->failure && session->failure->status == PEAL_RESOURCES && !session->failure->file[0] &&
           peal_machine_host(session->machine).rounds == 0;
}

enum peal_status
session_load(struct session *session, int nodes, struct peal_error *error)
{
    enum peal_status status = session_find_target(session, error);

    if (status == PEAL_OK && !session->program)
        return peal_refuse(error, PEAL_USAGE, "%s is a collective, not a program", session->request->arguments[0]);
    if (status == PEAL_OK && access(session->program, R_OK) != 0)
        return peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", session->program, strerror(errno));
    if (status == PEAL_OK)
        status = session_prepare(session, error);
    if (status == PEAL_OK && !session->mpi)
        return peal_refuse(error, PEAL_USAGE, "%s is not a program for MPI: peal check --program explores it",
                           session->program);
    if (status == PEAL_OK)
        status = load(session, nodes, session_try_loading, error);
    if (session->supervisor) { /* the process of try_loading: what failed here fails in the other one, too */
        peal_supervised_done(session->supervisor, 0);
        session_fini(session);
        exit(0);
    }
    return status;
}

/* Print a run that took place, unless the child has `shown` it, and write its documents.  *wrong: no node failed, but
 * its data or its cost is wrong. */
static enum peal_status
session_show_run(struct session *session, session_report report, bool shown, bool well, bool *wrong,
                 struct peal_error *error)
{
    bool json = session->request->document.json;
    char text[400];
    enum peal_status status = name_run(session, error);
    const char *why = status == PEAL_OK ? session_wrong(session, text, sizeof text) : NULL;

    *wrong = why != NULL;
    if (shown)
        session->writings.list[0].here = false;
    if (status == PEAL_OK && !json && !never_began(session) && !shown)
        report(session);
    else if (session->failure && shown)
        session_complain(session);
    else if (session->failure)
        fprintf(stderr, "peal: %s: %s\n", peal_failure_name(session->failure->kind), session->failure->message);
    else if (why)
        fprintf(stderr, "peal: %s\n", why);
    if (!json)
        note_shown(session);
    return status == PEAL_OK ? write_files(session, well && !why, error) : status;
}

/* The command's exit code, from `status` of all it did and `ended` of the run itself. */
static int
exit_code(const struct session *session, bool ran, enum peal_status status, enum peal_status ended, bool wrong,
          const struct peal_error *error)
{
    int code = status != PEAL_OK ? complain(error) : ended != PEAL_OK ? (int)ended : wrong ? PEAL_FAILED : 0;
    size_t count = 0;
    const struct peal_run_finding *findings =
        ran && session->machine ? peal_machine_findings(session->machine, &count) : NULL;

    if (code == 0 && session->strict && findings_have_fault(findings, count))
        code = PEAL_FAILED;
    if (session->file && session->mpi && status == PEAL_OK && (ended == PEAL_OK || ended == PEAL_FAILED) &&
        peal_program_code(session->file))
        code = peal_program_code(session->file);
    return code;
}

int
session_run(const struct command_request *request, session_report report)
{
    struct session session = {.request = request, .strict = request->step && request->step->strict};
    struct peal_error error = {PEAL_OK, ""};
    bool ran = false, parent = false, wrong = false;
    enum peal_status ended = PEAL_OK, status = session_begin(&session, &error);

    if (status == PEAL_OK && !recording)
        status = session_fork(&session, &parent, &error);
    if (status == PEAL_OK && parent) {
        int code = session_look_after(&session, &ran, &error);

        if (!ran) {
            session_fini(&session);
            return code;
        }
        ended = status = (enum peal_status)code;
    } else if (status == PEAL_OK) {
        ended = status = session_run_machine(&session, &ran, &error);
        directory_return();
        if (session.supervisor)
            peal_supervised_reports(session.supervisor);
    }
    if (ran)
        status = session_show_run(&session, report, parent && peal_supervised_has_shown(session.supervisor),
                                  ended == PEAL_OK, &wrong, &error);
    int code = exit_code(&session, ran, status, ended, wrong, &error);
    bool child = session.supervisor && !parent;

    if (child) {
        fflush(NULL);
        peal_supervised_done(session.supervisor, code);
    }
    session_fini(&session);
    if (child) /* the parent does all that follows a run */
        exit(code);
    return code;
}

int
session_lost(const struct command_request *request, enum peal_failure_kind kind, const struct peal_error *why)
{
    struct session session = {.request = request};
    struct peal_error error;
    int code = complain(why);
    enum peal_status status = session_begin(&session, &error);

    if (status == PEAL_OK) {
        session.machine = peal_mpi_lost(&session.request->machine, kind, why->text, &error);
        status = session.machine ? writings_begin(&session.writings, session.machine, &error) : error.status;
    }
    if (status == PEAL_OK && !session.program)
        status = peal_exercise_expect(session.machine, &session.exercise, &session.outcome, &error);
    if (status == PEAL_OK) {
        session.failure = peal_machine_failure(session.machine);
        status = name_run(&session, &error);
    }
    if (status == PEAL_OK)
        status = write_files(&session, false, &error);
    if (status != PEAL_OK)
        complain(&error);
    session_fini(&session);
    return code;
}

/* ------------------------------------------------------------------ a run for another command */

void
session_complain(const struct session *session)
{
    struct peal_error error = {PEAL_FAILED, ""};

    if (session->failure) {
        text_failure(stderr, session->failure, session->mpi);
    } else if (session_wrong(session, error.text, sizeof error.text)) {
        complain(&error);
    }
}

/* By take_record, of the session that runs. */
static struct peal_record *taken;
static char *taken_failure;

static void
take_record(const struct session *session)
{
    const struct peal_failure *failure = session->failure;
    bool wrong = !session->program && !session->outcome.verified;

    session_complain(session);
    if ((failure || wrong) &&
        asprintf(&taken_failure, "%s: %s", peal_failure_name(failure ? failure->kind : PEAL_WRONG_RESULT),
                 failure ? failure->fault.message : session->outcome.wrong) < 0)
        taken_failure = NULL;
    taken = peal_record_take(session->machine, session->program ? NULL : &session->outcome, session->called, NULL);
}

int
session_record(const struct command_request *request, struct peal_record **record, char **failure)
{
    struct command_request request_alone = *request;

    request_alone.document.json = false;
    request_alone.document.json_file = request_alone.document.trace_file = request_alone.document.report_file =
        request_alone.document.svg_file = request_alone.document.png_file = NULL;
    request_alone.machine.rounds = PEAL_ROUNDS_ALL;
    taken = NULL;
    recording = true;
    int code = session_run(&request_alone, take_record);

    recording = false;
    *record = taken;
    taken = NULL;
    if (failure)
        *failure = taken_failure;
    else
        free(taken_failure);
    taken_failure = NULL;
    if (!*record && code == 0)
        code = complain_of(PEAL_RESOURCES, "not enough memory to record the run");
    return code;
}
