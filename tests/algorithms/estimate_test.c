/* SPDX-License-Identifier: MIT */
/* The estimate of a run's memory beside what the run takes, and what is refused: in a process of its own each. */
#include "lib/collective/estimate.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <peal/tools.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory that a run takes beside the process itself, which the estimate need not meet. */
static const double slack = 3e6;

/* The estimate is at most so many times what a run takes: recorded rounds that are alike take less. */
enum { FACTOR = 4 };

struct sized {
    int nodes;
    size_t words; /* of a block; a vector has P times as many */
};

struct measured {
    double estimate, peak;
    bool ran;
};

/* Run the algorithm, and measure this process. */
static struct measured
run(const struct peal_algorithm *algorithm, struct sized size)
{
    struct peal_exercise exercise = {.collective = algorithm->collective, .algorithm = algorithm->name, .by = 1};
    struct peal_outcome outcome;
    struct peal_options options;
    struct peal_error error;
    struct measured result = {0};

    exercise.words = size.words * (peal_collective_has_blocks(algorithm->collective) ? 1 : (size_t)size.nodes);
    peal_options_init(&options);
    options.nodes = size.nodes;
    options.engine = "auto";
    options.rounds = PEAL_ROUNDS_ALL;
    struct peal_machine *machine = peal_machine_create(&options, &error);

    if (machine && peal_exercise(machine, &exercise, &outcome, &error) == PEAL_OK) {
        result.ran = true;
        result.estimate = (double)peal_run_room(&options, &outcome.situation, algorithm).bytes;
        result.peak = (double)peal_machine_host(machine).peak_bytes;
    }
    peal_machine_destroy(machine);
    return result;
}

/* Run it in a child, whose peak is its own. */
static struct measured
measure(const struct peal_algorithm *algorithm, struct sized size)
{
    struct measured result = {0};
    int ends[2];

    cr_assert(eq(int, pipe(ends), 0));
    pid_t child = fork();

    if (child == 0) {
        result = run(algorithm, size);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &result, sizeof result) != sizeof result)
        result.ran = false;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return result;
}

Test(estimate, is_at_least_what_a_run_takes_and_at_most_four_times_it, .timeout = 300)
{
    static const struct sized sizes[] = {{6, 1 << 14}, {16, 1 << 12}, {512, 2}};
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = peal_algorithm_get(i)); i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            if (sizes[j].nodes > 64 && algorithm->holds == PEAL_HOLDS_ALL)
                continue;
            struct measured m = measure(algorithm, sizes[j]);

            if (!m.ran)
                continue;
            cr_expect(m.estimate + slack >= m.peak && m.estimate <= FACTOR * m.peak + slack,
                      "%s/%s on %d nodes with blocks of %zu words: estimated %.1f MB, took %.1f MB",
                      peal_collective_name(algorithm->collective), algorithm->name, sizes[j].nodes, sizes[j].words,
                      m.estimate / 1e6, m.peak / 1e6);
        }
}
