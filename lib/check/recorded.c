/* SPDX-License-Identifier: MIT */
/* Runs a function for MPI as a check does, and keeps the messages. */
#include "lib/check/recorded.h"
#include "lib/check/runner.h"
#include "lib/check/validate.h"
#include <stdlib.h>

struct check_recorder {
    struct peal_check check;
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
peal_recorder_create(const struct peal_check *check, int nodes, struct peal_error *error)
{
    struct check_recorder *recorder = calloc(1, sizeof *recorder);

    if (!recorder) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    recorder->check = *check;
    recorder->check.nodes_from = recorder->check.nodes_to = nodes;
    recorder->check.max_messages = "P*P"; /* so that messages are kept */
    if (recorder_load(recorder, error) == PEAL_OK)
        return recorder;
    peal_recorder_destroy(recorder);
    return NULL;
}

const struct peal_schedule *
peal_recorder_run(struct check_recorder *recorder, int nodes, int root, size_t words, struct peal_error *error)
{
    const struct peal_check_case where = {.nodes = nodes, .root = root, .words = words, .topology = "full", .ports = 1};
    struct peal_finding finding;
    bool well;

    if (recorder->nodes != nodes) {
        peal_machine_destroy(recorder->machine);
        recorder->nodes = nodes;
        if (!(recorder->machine = runner_machine(&recorder->runner, &where, error)))
            return NULL;
    }
    if (runner_run(&recorder->runner, recorder->machine, &where, &finding, &well, error) != PEAL_OK)
        return NULL;
    if (!well) {
        peal_refuse(error, PEAL_PROGRAM, "P = %d, root %d, %zu words: %s", nodes, root, words, finding.message);
        return NULL;
    }
    return peal_machine_schedule(recorder->machine);
}
