/* SPDX-License-Identifier: MIT */
/* Runs an application for its tests, compares its result with the sequential one, and prices its schedule. */
#include "harness.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void
app_try(struct app_trial *trial, const struct peal_application *application, int nodes, const char *topology, size_t n,
        const size_t *parameters, const char *engine)
{
    struct peal_options options = options_for(nodes, topology);
    const struct peal_schedule *schedule;

    memset(trial, 0, sizeof *trial);
    if (engine != NULL)
        options.engine = engine;
    trial->application = application;
    trial->machine = peal_machine_create(&options, &trial->error);
    cr_assert_not_null(trial->machine, "%s", trial->error.text);
    peal_problem_init(&trial->problem, application, trial->machine);
    trial->problem.n = n;
    if (parameters != NULL)
        memcpy(trial->problem.parameter, parameters, sizeof trial->problem.parameter);
    trial->status = peal_application_run(trial->machine, application, &trial->problem, &trial->outcome, &trial->error);
    schedule = peal_machine_schedule(trial->machine);
    trial->schedule = expanded(schedule);
}

void
app_try_fini(struct app_trial *trial)
{
    expanded_fini(&trial->schedule);
    peal_machine_destroy(trial->machine);
}

static struct peal_cost
cost_of(const char *name, int nodes, const char *topology, size_t n, const size_t *parameter)
{
    const struct peal_application *application = peal_application_find(name);
    size_t parameters[PEAL_MAX_PARAMETERS];
    struct app_trial trial;
    struct peal_cost cost;

    cr_assert_not_null(application, "%s", name);
    for (int i = 0; i < PEAL_MAX_PARAMETERS; i++)
        parameters[i] = application->parameters[i].usual;
    if (parameter != NULL)
        parameters[0] = *parameter;
    app_try(&trial, application, nodes, topology, n, parameters, NULL);
    cr_assert_eq(trial.status, PEAL_OK, "%s on %s: %s", name, topology, trial.error.text);
    cost = peal_machine_cost(trial.machine);
    app_try_fini(&trial);
    return cost;
}

struct peal_cost
app_cost(const char *name, int nodes, const char *topology, size_t n)
{
    return cost_of(name, nodes, topology, n, NULL);
}

struct peal_cost
app_cost_with(const char *name, int nodes, const char *topology, size_t n, size_t parameter)
{
    return cost_of(name, nodes, topology, n, &parameter);
}
