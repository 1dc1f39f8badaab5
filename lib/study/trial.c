/* SPDX-License-Identifier: MIT */
/* Finds the algorithms that fit a machine, their closed forms, and the costs of their runs. */
#include "lib/study/trial.h"
#include "lib/collective/closed_row.h"
#include "lib/collective/estimate.h"
#include <stdlib.h>
#include <string.h>

void
peal_candidates_fini(struct candidates *candidates)
{
    free(candidates->all);
    peal_algorithm_unload(candidates->own);
    *candidates = (struct candidates){.count = 0};
}

enum peal_status
peal_size_words(enum peal_collective collective, int nodes, bool in_blocks, size_t size, size_t *words,
                struct peal_error *error)
{
    size_t P = (size_t)nodes, m = in_blocks ? size : size / P, n = size;
    bool blocks = peal_collective_has_blocks(collective);

    *words = 0;
    if (peal_form_of(collective)->out == PEAL_SIDE_NONE)
        return PEAL_OK;
    if (in_blocks && __builtin_mul_overflow(m, P, &n))
        return peal_refuse(error, PEAL_USAGE, "--block %zu: %zu blocks of so many words are too many to count", m, P);
    if (blocks && n % P != 0 && n <= SIZE_MAX - P)
        return peal_refuse(error, PEAL_USAGE,
                           "--words %zu: %zu nodes cannot have blocks of the same size; "
                           "%zu and %zu fit",
                           n, P, m * P, (m + 1) * P);
    if (blocks && n % P != 0)
        return peal_refuse(error, PEAL_USAGE, "--words %zu: %zu nodes cannot have blocks of the same size; %zu fits", n,
                           P, m * P);
    *words = blocks ? m : n;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ one trial */

enum { DEFAULT_REPETITIONS = 10 };

void
peal_trial_begin(struct trial *trial, const struct candidate *candidate, const struct peal_situation *situation)
{
    const struct peal_algorithm *algorithm = candidate->algorithm;
    struct peal_situation own = *situation;
    struct peal_error why = {PEAL_OK, ""};
    char name[200];

    *trial = (struct trial){.algorithm = algorithm, .name = candidate->name, .named = candidate->named};
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
    if (trial->has_form) {
        peal_closed_form_text(algorithm, &own, trial->form_text, PEAL_CLOSED_TEXT);
        trial->form_source = peal_closed_form_source(algorithm, &own);
    }
    trial->too_large = !trial->has_form && !peal_cost_counted(trial->form);
}

/* Record the result of the machine's run. */
static void
trial_record(struct trial *trial, const struct peal_machine *machine, const struct peal_outcome *outcome)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    const struct peal_measured *measured = peal_machine_measured(machine);

    trial->executed = true;
    trial->has_form = outcome->has_closed_form;
    trial->form = outcome->closed_form;
    memcpy(trial->form_text, outcome->closed_form_text, PEAL_CLOSED_TEXT);
    trial->form_source = outcome->closed_form_source;
    trial->cost = peal_machine_cost(machine);
    trial->critical_path = peal_machine_critical_path(machine);
    trial->rounds = schedule->round_count;
    trial->transfers = schedule->transfer_count;
    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);
        const struct peal_transfer *transfers = schedule->transfers + round->first;

        for (size_t j = 0; j < round->count; j++) {
            trial->words += transfers[j].words;
            trial->k = transfers[j].k > trial->k ? transfers[j].k : trial->k;
        }
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
trial_describe_fault(struct trial *trial, const struct peal_failure *failure, const struct peal_outcome *outcome)
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

/* Whether there is room for the run; otherwise trial->unfit says why not. */
static bool
has_room(struct trial *trial, const struct peal_situation *situation, const struct peal_options *options)
{
    struct peal_situation own = *situation;
    struct peal_error why;

    own.parameter = trial->parameter;
    if (!trial->named && peal_run_holds_all(options, &own, trial->algorithm, trial->unfit, sizeof trial->unfit))
        return false;
    if (peal_run_fits(options, &own, trial->algorithm, &why) == PEAL_OK)
        return true;
    snprintf(trial->unfit, sizeof trial->unfit, "%.199s", why.text);
    return false;
}

enum peal_status
peal_trial_run(struct trial *trial, const struct peal_situation *situation, const struct peal_options *options,
               int repetitions, const char **engine, struct peal_error *error)
{
    struct peal_exercise exercise = {.collective = situation->collective,
                                     .algorithm = trial->name,
                                     .layout = situation->layout,
                                     .op = situation->op};
    struct peal_outcome outcome = {.nodes_correct = -1};

    if (!has_room(trial, situation, options))
        return PEAL_OK;
    room_keep_freed(); /* a trial takes as much memory as the last one */
    struct peal_machine *machine = peal_machine_create(options, error);

    if (!machine)
        return error->status;
    enum peal_status status = peal_exercise(machine, &exercise, &outcome, error);
    const char *name = peal_machine_options(machine)->engine;
    int times = !peal_is_measured(options) ? 0 : repetitions > 0 ? repetitions : DEFAULT_REPETITIONS;

    for (int i = 0; i < times && status == PEAL_OK; i++)
        status = peal_exercise(machine, &exercise, &outcome, error);

    const struct peal_failure *failure = peal_machine_failure(machine);

    *engine = strcmp(name, "fibers") == 0 ? "fibers" : strcmp(name, "mpi") == 0 ? "mpi" : "threads";
    if (failure && failure->kind == PEAL_OUT_OF_MEMORY) {
        snprintf(trial->unfit, sizeof trial->unfit, "%.199s", failure->message);
        status = PEAL_OK;
    } else if (failure && failure->kind == PEAL_NONCOMBINING) {
        snprintf(trial->excluded, sizeof trial->excluded, "bundles packets, which --noncombining refuses");
        status = PEAL_OK;
    } else if (status == PEAL_OK || failure || outcome.wrong[0]) {
        trial_record(trial, machine, &outcome);
        trial_describe_fault(trial, failure, &outcome);
        status = PEAL_OK;
    } else if (status == PEAL_RESOURCES) { /* beside the machine there is less room than before it */
        if (has_room(trial, situation, options))
            snprintf(trial->unfit, sizeof trial->unfit, "%.199s", error->text);
        status = PEAL_OK;
    }
    peal_machine_destroy(machine);
    return status;
}

bool
peal_is_measured(const struct peal_options *options)
{
    return strcmp(options->engine, "mpi") == 0;
}

/* Three digits, or all before the point. */
static char *
microseconds(double seconds, char text[18])
{
    snprintf(text, 18, seconds < 999.5e-6 ? "%.3g" : "%.0f", seconds * 1e6);
    return text;
}

char *
peal_measured_text(const struct trial *trial, char text[64])
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
peal_trial_counts(const struct trial *trial)
{
    return !trial->excluded[0] && trial->status == PEAL_OK && (trial->executed || trial->has_form);
}

struct peal_cost
peal_trial_cost(const struct trial *trial)
{
    return trial->executed ? trial->cost : trial->form;
}

/* ------------------------------------------------------------------ several */

/* The class of a trial: 0 with a cost, 1 wrong, 2 without a cost, 3 does not fit. */
static int
trial_class(const struct trial *trial)
{
    return peal_trial_counts(trial) ? 0 : trial->excluded[0] ? 3 : trial->status != PEAL_OK ? 1 : 2;
}

static bool
comes_before(const struct trial *a, const struct trial *b, struct peal_parameters parameters)
{
    int rank_a = trial_class(a), rank_b = trial_class(b);

    if (rank_a != rank_b || rank_a > 0)
        return rank_a < rank_b;
    return peal_cost_time(peal_trial_cost(a), parameters) < peal_cost_time(peal_trial_cost(b), parameters);
}

/* By insertion, which keeps equals in order; a catalogue is short. */
void
peal_trials_sort(struct trial *trials, int count, struct peal_parameters parameters)
{
    for (int i = 1; i < count; i++) {
        struct trial moved = trials[i];
        int j = i;

        for (; j > 0 && comes_before(&moved, &trials[j - 1], parameters); j--)
            trials[j] = trials[j - 1];
        trials[j] = moved;
    }
}

struct trial *
peal_trials_that_fit(const struct peal_situation *situation, int *count)
{
    struct peal_situation own = *situation;
    const struct peal_algorithm *a;
    int all = 0;

    while (peal_algorithm_get(all))
        all++;
    struct trial *trials = calloc((size_t)all + 1, sizeof *trials);

    *count = 0;
    own.parameter = 0;
    for (int i = 0; trials && (a = peal_algorithm_get(i)); i++) {
        struct candidate candidate = {a, a->name, 0, false};

        if (a->collective != situation->collective)
            continue;
        peal_trial_begin(&trials[*count], &candidate, &own);
        *count += !trials[*count].excluded[0];
    }
    if (trials)
        peal_trials_sort(trials, *count, situation->parameters);
    return trials;
}

int
peal_trials_code(const struct trial *trials, int count)
{
    for (int i = 0; i < count; i++)
        if (!trials[i].excluded[0] && trials[i].status != PEAL_OK)
            return (int)trials[i].status;
    return 0;
}
