/* SPDX-License-Identifier: MIT */
/* Makes one run of an exploration in a child, which leaves its report in shared memory even when it crashes. */
#include "lib/check/exploration.h"
#include "lib/check/expression.h"
#include "lib/child/child_failure.h"
#include "lib/child/supervise.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ in the child */

static void
outcome_add_place(struct outcome *outcome, int rank, const char *file, int line)
{
    if (outcome->place_count == MAX_OUTCOME_PLACES)
        return;
    struct spot *spot = &outcome->places[outcome->place_count++];

    spot->rank = rank;
    spot->line = line;
    snprintf(spot->file, sizeof spot->file, "%s", file ? file : "");
}

static struct outcome *
new_outcome(struct run_report *report, const struct peal_fault *fault)
{
    int number = atomic_load(&report->count);

    if (number == MAX_FOUND)
        return NULL;
    struct outcome *outcome = &report->found[number];

    *outcome = (struct outcome){.fault = *fault};
    atomic_store(&report->count, number + 1);
    return outcome;
}

static void
report_finding(const struct peal_run_finding *finding, void *arg)
{
    struct outcome *outcome = finding->severity == PEAL_SEVERITY_NOTE ? NULL : new_outcome(arg, &finding->fault);

    for (int i = 0; outcome && i < finding->place_count; i++)
        outcome_add_place(outcome, finding->places[i].rank, finding->places[i].file, finding->places[i].line);
}

static void
report_end(struct run_report *report, const struct peal_program_file *file, const struct peal_failure *failure)
{
    struct outcome *outcome = failure ? new_outcome(report, &failure->fault) : NULL;
    const char *rule = failure ? peal_fault_rule(&failure->fault) : NULL;
    struct peal_fault left = {.kind = PEAL_WRONG_RESULT};

    report->code = peal_program_code(file);
    if (!failure && report->code) {
        snprintf(left.message, sizeof left.message, "the program ends with exit code %d", report->code);
        outcome = new_outcome(report, &left);
    }
    if (!outcome)
        return;
    outcome->code = failure ? 0 : report->code;
    if (failure)
        outcome_add_place(outcome, failure->rank, failure->file[0] ? failure->file : NULL, failure->line);
    for (int i = 0; failure && i < failure->node_count; i++)
        if (failure->nodes[i].file && failure->nodes[i].line > 0)
            outcome_add_place(outcome, failure->nodes[i].rank, failure->nodes[i].file, failure->nodes[i].line);
    if (rule)
        snprintf(outcome->rule, sizeof outcome->rule, "%s", rule);
}

/* Report what a run that ended well was charged beyond the given limits. */
static void
report_cost(struct run_report *report, const struct explore_setup *setup, const struct peal_machine *machine)
{
    const struct peal_cost cost = peal_machine_cost(machine);
    const struct {
        enum peal_failure_kind kind;
        const char *expression, *of;
        int64_t is;
    } limits[] = {{PEAL_EXCESS_ROUNDS, setup->request->max_rounds, "round", cost.alpha},
                  {PEAL_EXCESS_WORDS, setup->request->max_words, "byte", cost.beta}};
    const struct peal_check_values values = peal_check_values_on(setup->request->nodes, 0, 0);
    char text[200];
    double most;
    bool above;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct peal_fault fault = {.kind = limits[i].kind, .severity = PEAL_SEVERITY_WARNING};

        if (!limits[i].expression ||
            peal_check_limit(limits[i].expression, values, limits[i].is, &most, &above, text, NULL) != PEAL_OK ||
            !above)
            continue;
        snprintf(fault.message, sizeof fault.message, "the run takes %lld %s%s; %s", (long long)limits[i].is,
                 limits[i].of, limits[i].is == 1 ? "" : "s", text);
        new_outcome(report, &fault);
    }
}

/* Standard input from its beginning; standard error is kept, except for the usual run's. */
static void
take_streams(const struct explore_setup *setup, const struct explore_child *place)
{
    char path[40];

    snprintf(path, sizeof path, "/proc/self/fd/%d", setup->input);
    int input = open(setup->input < 0 ? "/dev/null" : path, O_RDONLY);

    dup2(input, STDIN_FILENO);
    if (place->order || setup->request->out < 0)
        dup2(place->error_output, STDERR_FILENO);
    close(input);
}

static struct peal_machine *
explore_child_machine(const struct explore_setup *setup, const struct explore_child *place)
{
    struct peal_options options = *setup->request->machine;

    options.nodes = setup->request->nodes;
    options.rounds = PEAL_ROUNDS_NONE;
    options.timeout_seconds = setup->seconds;
    options.output = place->output;
    options.tag_output |= place->order != NULL; /* it is not shown */
    return peal_machine_create(&options, &place->report->error);
}

/* Make the run; supervisor: this process's, or NULL. */
static void
explore_child_run(const struct explore_setup *setup, struct explore_child *place, struct peal_supervisor *supervisor)
{
    struct run_report *report = place->report;
    struct peal_order *order = place->again ? peal_orders_next(place->again) : place->order;
    struct peal_machine *machine = explore_child_machine(setup, place);

    report->refused = !machine;
    if (machine) {
        peal_machine_listen(machine, report_finding, report);
        if (order)
            peal_order_take(order, machine);
        const struct peal_failure *failure = peal_program_run(machine, setup->request->file);

        if (order)
            peal_order_end(order, machine);
        if (supervisor)
            peal_supervised_reports(supervisor);
        report_end(report, setup->request->file, failure);
        report->number = number_end_of(machine, report->code);
        if (!failure)
            report_cost(report, setup, machine);
        peal_machine_destroy(machine); /* a heap that the program has corrupted ends the process here at the latest */
    }
}

/* Make the run in another process, if possible; if that is lost, report what it was doing. */
static void
watch_run(const struct explore_setup *setup, struct explore_child *place)
{
    struct run_report *report = place->report;
    bool parent = true;
    int code = 0;
    struct peal_supervisor *supervisor = peal_supervisor_fork(&parent, &report->error);

    if (!supervisor) {
        explore_child_run(setup, place, NULL);
        return;
    }
    if (!parent) {
        explore_child_run(setup, place, supervisor);
        peal_supervised_done(supervisor, 0);
        _exit(0);
    }
    enum peal_supervised how = peal_supervise(supervisor, setup->seconds, &code);

    if (how == PEAL_SUPERVISED_INTERRUPTED || how == PEAL_SUPERVISED_UNBEGUN)
        kill(getpid(), SIGKILL);
    struct peal_machine *machine = how == PEAL_SUPERVISED_LOST ? explore_child_machine(setup, place) : NULL;

    if (machine) {
        peal_supervisor_recover(supervisor, machine);
        report_end(report, setup->request->file, peal_machine_failure(machine));
    }
    peal_supervisor_destroy(supervisor);
}

/* In a build without processes the run is made at once, in this process. */
static void
explore_child_run_here(struct explore_child *place)
{
    int shown = dup(STDERR_FILENO);

    if (place->order || place->setup->request->out < 0)
        dup2(place->error_output, STDERR_FILENO);
    explore_child_run(place->setup, place, NULL);
    dup2(shown, STDERR_FILENO);
    close(shown);
}

static int
explore_child_main(void *arg, struct child *child)
{
    struct explore_child *place = arg;

    (void)child;
    if (!PEAL_PROCESSES) {
        explore_child_run_here(place);
    } else {
        signal(SIGINT, SIG_IGN); /* the parent ends it */
        take_streams(place->setup, place);
        if (place->watched)
            watch_run(place->setup, place);
        else
            explore_child_run(place->setup, place, NULL);
    }
    atomic_store(&place->report->ended, true);
    return 0;
}

/* ------------------------------------------------------------------ children */

static enum peal_status
explore_child_start(const struct explore_setup *setup, struct explore_child *place, struct peal_error *error)
{
    const struct child_setup child = {
        .what = "a run",
        .body = explore_child_main,
        .arg = place,
        .limits = {.run_seconds = setup->seconds, .silent_seconds = setup->seconds + CHILD_SILENT_SECONDS},
        .here = true};

    atomic_store(&place->report->ended, false);
    atomic_store(&place->report->count, 0);
    place->report->refused = false;
    place->report->code = 0;
    place->report->number = NUMBER_FINISHED;
    place->killed = false;
    place->setup = setup;
    if (ftruncate(place->output, 0) != 0 || lseek(place->output, 0, SEEK_SET) != 0 ||
        ftruncate(place->error_output, 0) != 0 || lseek(place->error_output, 0, SEEK_SET) != 0)
        return peal_refuse(error, PEAL_RESOURCES, "no file for a run: %s", strerror(errno));
    return peal_child_start(&place->child, &child, error);
}

enum peal_status
explore_child_begin(const struct explore_setup *setup, struct explore_child *place, struct peal_order *order,
                    struct peal_error *error)
{
    place->order = order;
    place->watched = !order;
    return explore_child_start(setup, place, error);
}

/* Make the run of the order that was lost once more, watched. */
static bool
begin_again(const struct explore_setup *setup, struct explore_child *place)
{
    struct peal_order_run run = peal_order_run(place->order);
    struct peal_error error;

    place->again = peal_orders_given(setup->request->nodes, run.choices, run.choice_count, &error);
    place->watched = true;
    if (place->again && explore_child_start(setup, place, &error) == PEAL_OK)
        return true;
    peal_orders_destroy(place->again);
    place->again = NULL;
    return false;
}

bool
explore_child_end(const struct explore_setup *setup, struct explore_child *place)
{
    struct peal_fault end = {.kind = PEAL_TIMED_OUT};
    const int status = peal_child_end(&place->child);

    free(place->child.report.text);
    peal_orders_destroy(place->again);
    place->again = NULL;
    if (atomic_load(&place->report->ended))
        return true;
    if (!place->killed && !place->watched && begin_again(setup, place))
        return false;
    if (place->killed)
        snprintf(end.message, sizeof end.message, "the run did not end within %g seconds", setup->seconds);
    else
        child_failure(&place->child, status, "the run", "the program", &end);
    new_outcome(place->report, &end);
    return true;
}
