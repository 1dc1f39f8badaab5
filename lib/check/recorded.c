/* SPDX-License-Identifier: MIT */
/* Runs a function for MPI as a check does, or an algorithm as an exercise, and keeps the messages. */
#include "lib/check/recorded.h"
#include "lib/check/runner.h"
#include "lib/check/validate.h"
#include <stdlib.h>

struct check_recorder {
    struct peal_check check;
    const char *algorithm; /* NULL: the function for MPI is run */
    struct compiled_check compiled;
    struct runner runner;
    struct peal_machine *machine; /* of the last run */
    int nodes;                    /* that it has */
};

void
peal_recorder_destroy(struct check_recorder *recorder)
{
    if (!recorder)
        return;
    peal_machine_destroy(recorder->machine);
    if (recorder->runner.file)
        runner_fini(&recorder->runner);
    unit_free(&recorder->compiled.unit);
    free(recorder);
}

/* Compile and load it. */
static enum peal_status
recorder_load(struct check_recorder *recorder, struct peal_error *error)
{
    struct compiled_check *compiled = compile_for(&recorder->compiled, &recorder->check, 0);

    if (compiled->error.status != PEAL_OK) {
        *error = compiled->error;
        return error->status;
    }
    if (!compile_mpi_preload())
        return peal_refuse(error, PEAL_RESOURCES, "libpealmpi.so cannot be loaded");
    runner_init(&recorder->runner, &recorder->check, &compiled->unit);
    return runner_load(&recorder->runner, error);
}

struct check_recorder *
peal_recorder_create(const struct peal_check *check, const char *algorithm, int nodes, struct peal_error *error)
{
    struct check_recorder *recorder = calloc(1, sizeof *recorder);

    if (!recorder) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    recorder->check = *check;
    recorder->algorithm = algorithm;
    recorder->check.nodes_from = recorder->check.nodes_to = nodes;
    recorder->check.max_messages = "P*P"; /* so that messages are kept */
    if (algorithm || recorder_load(recorder, error) == PEAL_OK)
        return recorder;
    peal_recorder_destroy(recorder);
    return NULL;
}

static struct peal_machine *
recorder_machine(const struct check_recorder *recorder, const struct peal_check_case *where, struct peal_error *error)
{
    const struct peal_algorithm *algorithm;
    struct peal_options options;

    if (!recorder->algorithm)
        return runner_machine(&recorder->runner, where, error);
    algorithm = peal_algorithm_find(recorder->check.collective, recorder->algorithm);
    peal_options_init(&options);
    options.nodes = where->nodes;
    options.ports = algorithm && algorithm->needs.ports > 1 ? algorithm->needs.ports : 1;
    options.engine = runner_engine();
    return peal_machine_create(&options, error);
}

/* Run it, and see that the data are right. */
static enum peal_status
recorder_run(struct check_recorder *recorder, const struct peal_check_case *where, struct peal_error *error)
{
    const struct peal_exercise exercise = {
        .collective = recorder->check.collective, .algorithm = recorder->algorithm, .layout = where->layout};
    struct peal_outcome outcome;
    struct peal_finding finding;
    bool well;

    if (recorder->algorithm)
        return peal_exercise(recorder->machine, &exercise, &outcome, error);
    if (runner_run(&recorder->runner, recorder->machine, where, &finding, &well, error) == PEAL_OK && !well)
        peal_refuse(error, PEAL_PROGRAM, "P = %d, root %d, %zu words: %s", where->nodes, where->root, where->words,
                    finding.message);
    return error->status;
}

const struct peal_schedule *
peal_recorder_run(struct check_recorder *recorder, const struct peal_layout *layout, struct peal_error *error)
{
    const struct peal_check_case where = {.layout = *layout, .topology = "full", .ports = 1};

    *error = (struct peal_error){PEAL_OK, ""};
    if (!recorder->machine || recorder->nodes != where.nodes) {
        peal_machine_destroy(recorder->machine);
        recorder->nodes = where.nodes;
        recorder->machine = recorder_machine(recorder, &where, error);
    }
    if (!recorder->machine || recorder_run(recorder, &where, error) != PEAL_OK)
        return NULL;
    return peal_machine_schedule(recorder->machine);
}
