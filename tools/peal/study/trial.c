/* SPDX-License-Identifier: MIT */
/* Finds the algorithms that fit a machine, their closed forms, and the costs of their runs. */
#include "study/trial.h"
#include "run/exercise.h"
#include "run/target.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ which algorithms */

/* Add a candidate unless its name is already entered. */
static void
add(struct candidates *candidates, const struct peal_algorithm *algorithm, const char *name, int parameter)
{
    for (int i = 0; i < candidates->count; i++)
        if (strcmp(candidates->all[i].name, name) == 0)
            return;
    candidates->all[candidates->count++] = (struct candidate){algorithm, name, parameter};
}

/* The largest machine that the request asks for. */
static int
most_nodes(const struct command_request *request)
{
    const struct range *range = &request->nodes_range;

    return range->step ? (int)range_get(range, range_count(range) - 1) : request->machine.nodes;
}

/* Add the algorithms that one argument names. */
static enum peal_status
add_named(struct candidates *candidates, const struct command_request *request, int number, struct peal_error *error)
{
    struct session session = {.program = NULL};
    const char *argument = request->arguments[number];
    const struct peal_algorithm *a;
    int parameter = 0;
    bool first = number == 0;
    enum peal_status status =
        first ? target_load(&session, request, argument, most_nodes(request), &candidates->own, error)
              : target_find(&session, argument, error);

    if (status != PEAL_OK)
        return status;
    if (session.program)
        return peal_refuse(error, PEAL_USAGE, "%s is a program: peal %s takes the algorithms of a collective", argument,
                           request->command->name);
    if (!first && session.collective != candidates->collective)
        return peal_refuse(error, PEAL_USAGE, "expected one collective, got %s beside %s", argument,
                           peal_collective_name(candidates->collective));
    candidates->collective = session.collective;
    if (session.algorithm) {
        a = peal_algorithm_parse(session.collective, session.algorithm, &parameter);
        add(candidates, a, session.algorithm, parameter);
        return PEAL_OK;
    }
    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        if (a->collective == session.collective)
            add(candidates, a, a->name, 0);
    return PEAL_OK;
}

enum peal_status
candidates_find(struct candidates *candidates, const struct command_request *request, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    int all = 0;

    *candidates = (struct candidates){.count = 0};
    if (request->program)
        return peal_refuse(error, PEAL_USAGE, "%s takes no arguments after --", request->command->name);
    if (request->argument_count == 0)
        return peal_refuse(error, PEAL_USAGE, "expected a collective, as in peal %s allreduce (peal list shows them)",
                           request->command->name);
    while (peal_algorithm_get(all))
        all++;
    candidates->all = calloc((size_t)all + (size_t)request->argument_count + 1, sizeof *candidates->all);
    if (!candidates->all)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; status == PEAL_OK && i < request->argument_count; i++)
        status = add_named(candidates, request, i, error);
    if (status == PEAL_OK && candidates->own)
        add(candidates, candidates->own, candidates->own->name, 0);
    return status;
}

void
candidates_fini(struct candidates *candidates)
{
    free(candidates->all);
    peal_algorithm_unload(candidates->own);
    *candidates = (struct candidates){.count = 0};
}

/* ------------------------------------------------------------------ the situation */

enum peal_status
situation_find(const struct command_request *request, enum peal_collective collective,
               const struct peal_network *network, size_t words, struct peal_situation *situation,
               struct peal_error *error)
{
    struct peal_exercise exercise = exercise_of(request, collective);

    exercise.words = words;
    return peal_exercise_situation(&exercise, &request->machine, network, situation, error);
}

/* From so many nodes on, a run on threads takes longer than starting them. */
enum { MANY_NODES = 64 };

const char *
usual_engine(const struct peal_options *wanted)
{
    return peal_fibers_built() && wanted->nodes >= MANY_NODES && !wanted->wake_all ? "fibers" : "auto";
}

/* ------------------------------------------------------------------ one trial */

enum { DEFAULT_REPETITIONS = 10 };

void
trial_begin(struct trial *trial, const struct candidate *candidate, const struct peal_situation *situation)
{
    const struct peal_algorithm *algorithm = candidate->algorithm;
    struct peal_situation own = *situation;
    struct peal_error why = {PEAL_OK, ""};
    char name[200];

    *trial = (struct trial){.algorithm = algorithm, .name = candidate->name};
    own.parameter = candidate->parameter;
    if (peal_algorithm_fits(algorithm, &own, &why) != PEAL_OK) {
        int length =
            snprintf(name, sizeof name, "%s/%s ", peal_collective_name(algorithm->collective), algorithm->name);
        bool named = strncmp(why.text, name, (size_t)length) == 0;

        snprintf(trial->excluded, sizeof trial->excluded, "%.190s", why.text + (named ? length : 0));
        return;
    }
    own.parameter = trial->parameter = peal_algorithm_parameter(algorithm, &own);
    trial->has_form = peal_algorithm_cost(algorithm, &own, &trial->form);
    if (trial->has_form)
        peal_closed_form_text(algorithm, &own, trial->form_text, PEAL_CLOSED_TEXT);
    trial->too_large = !trial->has_form && !peal_cost_counted(trial->form);
}

/* Record the result of the machine's run. */
static void
record(struct trial *trial, const struct peal_machine *machine, const struct peal_outcome *outcome)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    const struct peal_measured *measured = peal_machine_measured(machine);

    trial->executed = true;
    trial->has_form = outcome->has_closed_form;
    trial->form = outcome->closed_form;
    memcpy(trial->form_text, outcome->closed_form_text, PEAL_CLOSED_TEXT);
    trial->cost = peal_machine_cost(machine);
    trial->critical_path = peal_machine_critical_path(machine);
    trial->rounds = schedule->round_count;
    trial->transfers = schedule->transfer_count;
    for (size_t i = 0; i < schedule->transfer_count; i++) {
        trial->words += schedule->transfers[i].words;
        trial->k = schedule->transfers[i].k > trial->k ? schedule->transfers[i].k : trial->k;
    }
    trial->nodes_correct = outcome->nodes_correct;
    trial->seconds = peal_machine_host(machine).seconds;
    if (measured) {
        trial->measured = measured->whole;
        trial->repetitions = measured->repetitions;
    }
}

/* Describe what is wrong with a run, if anything. */
static void
judge(struct trial *trial, const struct peal_failure *failure, const struct peal_outcome *outcome)
{
    char executed[100], formula[100];

    if (failure) {
        trial->status = failure->status;
        trial->kind = peal_failure_name(failure->kind);
        snprintf(trial->wrong, sizeof trial->wrong, "%.390s", failure->message);
    } else if (!outcome->verified) {
        trial->status = PEAL_FAILED;
        trial->kind = peal_failure_name(PEAL_WRONG_RESULT);
        snprintf(trial->wrong, sizeof trial->wrong, "%s", outcome->wrong);
    } else if (outcome->has_closed_form && !outcome->closed_form_equal) {
        trial->status = PEAL_FAILED;
        trial->kind = "closed-form";
        snprintf(trial->wrong, sizeof trial->wrong, "the run cost %s, but the closed form says %s",
                 peal_cost_text(trial->cost, executed, sizeof executed),
                 peal_cost_text(outcome->closed_form, formula, sizeof formula));
    }
}

enum peal_status
trial_run(struct trial *trial, const struct peal_situation *situation, const struct peal_options *options,
          int repetitions, const char **engine, struct peal_error *error)
{
    struct peal_exercise exercise = {.collective = situation->collective,
                                     .algorithm = trial->name,
                                     .words = situation->words,
                                     .root = situation->root,
                                     .by = situation->by,
                                     .to = situation->to,
                                     .to_count = situation->to_count,
                                     .op = situation->op};
    struct peal_outcome outcome = {.nodes_correct = -1};
    struct peal_machine *machine = peal_machine_create(options, error);

    if (!machine)
        return error->status;
    enum peal_status status = peal_exercise(machine, &exercise, &outcome, error);
    const char *name = peal_machine_options(machine)->engine;
    int times = !is_measured(options) ? 0 : repetitions > 0 ? repetitions : DEFAULT_REPETITIONS;

    for (int i = 0; i < times && status == PEAL_OK; i++)
        status = peal_exercise(machine, &exercise, &outcome, error);

    const struct peal_failure *failure = peal_machine_failure(machine);

    *engine = strcmp(name, "fibers") == 0 ? "fibers" : strcmp(name, "mpi") == 0 ? "mpi" : "threads";
    if (failure && failure->kind == PEAL_NONCOMBINING) {
        snprintf(trial->excluded, sizeof trial->excluded, "bundles packets, which --noncombining refuses");
        status = PEAL_OK;
    } else if (status == PEAL_OK || failure || outcome.wrong[0]) {
        record(trial, machine, &outcome);
        judge(trial, failure, &outcome);
        status = PEAL_OK;
    }
    peal_machine_destroy(machine);
    return status;
}

bool
is_measured(const struct peal_options *options)
{
    return options->engine && strcmp(options->engine, "mpi") == 0;
}

/* Three digits, or all before the point. */
static char *
microseconds(double seconds, char text[18])
{
    snprintf(text, 18, seconds < 999.5e-6 ? "%.3g" : "%.0f", seconds * 1e6);
    return text;
}

char *
measured_text(const struct trial *trial, char text[64])
{
    const struct peal_spread *spread = &trial->measured;
    char median[18], least[18], most[18];

    if (trial->repetitions == 0)
        strcpy(text, "-");
    else
        snprintf(text, 64, "%s (%s – %s)", microseconds(spread->median, median), microseconds(spread->minimum, least),
                 microseconds(spread->maximum, most));
    return text;
}

bool
trial_counts(const struct trial *trial)
{
    return !trial->excluded[0] && trial->status == PEAL_OK && (trial->executed || trial->has_form);
}

struct peal_cost
trial_cost(const struct trial *trial)
{
    return trial->executed ? trial->cost : trial->form;
}

/* ------------------------------------------------------------------ several */

/* The class of a trial: 0 with a cost, 1 wrong, 2 without a cost, 3 does not fit. */
static int
rank_of(const struct trial *trial)
{
    return trial_counts(trial) ? 0 : trial->excluded[0] ? 3 : trial->status != PEAL_OK ? 1 : 2;
}

static bool
comes_before(const struct trial *a, const struct trial *b, struct peal_parameters parameters)
{
    int rank_a = rank_of(a), rank_b = rank_of(b);

    if (rank_a != rank_b || rank_a > 0)
        return rank_a < rank_b;
    return peal_cost_time(trial_cost(a), parameters) < peal_cost_time(trial_cost(b), parameters);
}

/* By insertion, which keeps equals in order; a catalogue is short. */
void
trials_sort(struct trial *trials, int count, struct peal_parameters parameters)
{
    for (int i = 1; i < count; i++) {
        struct trial moved = trials[i];
        int j = i;

        for (; j > 0 && comes_before(&moved, &trials[j - 1], parameters); j--)
            trials[j] = trials[j - 1];
        trials[j] = moved;
    }
}

int
trials_code(const struct trial *trials, int count)
{
    for (int i = 0; i < count; i++)
        if (!trials[i].excluded[0] && trials[i].status != PEAL_OK)
            return (int)trials[i].status;
    return 0;
}
