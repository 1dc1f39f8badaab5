/* SPDX-License-Identifier: MIT */
/* The table of applications, and running one with its result compared. */
#include "applications.h"
#include <math.h>
#include <peal/observe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct peal_application *const applications[] = {
#define APPLICATION(name) &app_##name,
#include "applications.def"
#undef APPLICATION
};

enum { APPLICATIONS = sizeof applications / sizeof applications[0] };

const struct peal_application *
peal_application_get(int i)
{
    return i >= 0 && i < APPLICATIONS ? applications[i] : NULL;
}

const struct peal_application *
peal_application_find(const char *name)
{
    for (int i = 0; i < APPLICATIONS; i++)
        if (strcmp(applications[i]->name, name) == 0)
            return applications[i];
    return NULL;
}

void
peal_problem_init(struct peal_problem *problem, const struct peal_application *application,
                  const struct peal_machine *machine)
{
    const struct peal_options *options = peal_machine_options(machine);

    *problem = (struct peal_problem){
        .n = application->usual_size,
        .seed = options->seed,
        .machine = peal_situation_on(options, peal_machine_network(machine)),
    };
    for (int i = 0; i < PEAL_MAX_PARAMETERS; i++)
        problem->parameter[i] = application->parameters[i].usual;
}

/* What the nodes of a run share: read by all, but for `out`, of which each writes its own part. */
struct run_shared {
    const struct peal_application *application;
    const struct peal_problem *problem;
    const void *in;
    void *out;
};

static void
program(struct peal_node *me, void *arg)
{
    const struct run_shared *shared = arg;

    shared->application->run(me, shared->problem, shared->in, shared->out);
}

/* Refuse impossible problems. */
static enum peal_status
check(const struct peal_machine *machine, const struct peal_application *application,
      const struct peal_problem *problem, struct peal_application_outcome *outcome, struct peal_error *error)
{
    size_t word_bytes = peal_machine_options(machine)->word_bytes;

    if (word_bytes != sizeof(double))
        return peal_refuse(error, PEAL_USAGE, "%s works on words of 8 bytes, this machine's have %zu",
                           application->name, word_bytes);
    for (int i = 0; i < PEAL_MAX_PARAMETERS; i++)
        if (application->parameters[i].name != NULL && problem->parameter[i] < application->parameters[i].least)
            return peal_refuse(error, PEAL_USAGE, "%s=%zu: %zu and more fits", application->parameters[i].name,
                               problem->parameter[i], application->parameters[i].least);
    if (!application->words(problem, &outcome->in_words, &outcome->out_words))
        return peal_refuse(error, PEAL_USAGE, "n = %zu is too large: its words cannot be counted", problem->n);
    return application->fits != NULL ? application->fits(problem, error) : PEAL_OK;
}

/* Count the wrong words, and describe the first. */
static void
compare(const struct peal_application *application, const void *expected, const void *out,
        struct peal_application_outcome *outcome)
{
    for (size_t i = 0; i < outcome->out_words; i++) {
        int64_t whole = ((const int64_t *)out)[i], right_whole = ((const int64_t *)expected)[i];
        double real = ((const double *)out)[i], right = ((const double *)expected)[i], off = fabs(real - right);

        if (application->whole)
            off = whole == right_whole ? 0 : fmax(1, fabs((double)whole - (double)right_whole));
        if (off > outcome->difference)
            outcome->difference = off;
        if (off <= outcome->bound)
            continue;
        if (outcome->wrong_words++ > 0)
            continue;
        if (application->whole)
            snprintf(outcome->wrong, sizeof outcome->wrong, "word %zu is %lld, expected %lld", i, (long long)whole,
                     (long long)right_whole);
        else
            snprintf(outcome->wrong, sizeof outcome->wrong, "word %zu is %.17g, expected %.17g", i, real, right);
    }
    outcome->verified = outcome->wrong_words == 0;
}

enum peal_status
peal_application_run(struct peal_machine *machine, const struct peal_application *application,
                     const struct peal_problem *problem, struct peal_application_outcome *outcome,
                     struct peal_error *error)
{
    const struct peal_failure *failure;
    struct peal_error ignored;
    void *in, *out, *expected;
    enum peal_status status;

    if (error == NULL)
        error = &ignored;
    *outcome = (struct peal_application_outcome){.verified = false};
    status = check(machine, application, problem, outcome, error);
    if (status != PEAL_OK)
        return status;

    in = calloc(outcome->in_words + 1, sizeof(double));
    out = calloc(outcome->out_words + 1, sizeof(double));
    expected = calloc(outcome->out_words + 1, sizeof(double));
    if (in == NULL || out == NULL || expected == NULL) {
        status =
            peal_refuse(error, PEAL_RESOURCES, "not enough memory for the %zu words of input and twice %zu of result",
                        outcome->in_words, outcome->out_words);
        goto out;
    }
    application->make(problem, in);
    outcome->estimate = application->estimate(problem);
    outcome->has_closed_form = application->cost != NULL && application->cost(problem, &outcome->closed_form);

    status = peal_machine_share(machine, out, outcome->out_words * sizeof(double), error);
    if (status != PEAL_OK)
        goto out;
    failure = peal_run(machine, program, &(struct run_shared){application, problem, in, out});
    if (failure != NULL) {
        status = peal_refuse(error, failure->status, "%s", failure->message);
        goto out;
    }
    outcome->closed_form_equal =
        outcome->has_closed_form && peal_cost_equal(outcome->closed_form, peal_machine_cost(machine));
    if (!application->reference(problem, in, expected)) {
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory to compute the result on one processor");
        goto out;
    }
    outcome->bound = application->bound != NULL ? application->bound(problem, in, expected) : 0;
    compare(application, expected, out, outcome);
    if (!outcome->verified)
        status = peal_refuse(error, PEAL_FAILED, "%s: %s", application->name, outcome->wrong);
out:
    free(in);
    free(out);
    free(expected);
    return status;
}
