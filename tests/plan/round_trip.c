/* SPDX-License-Identifier: MIT */
/* Every algorithm of the catalogue: its schedule, written as MSCCL XML and read again, is proved and makes the same
 * rounds. */
#include "lib/plan/plan.h"
#include <criterion/criterion.h>
#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
compare_transfers(const void *a, const void *b)
{
    const struct peal_transfer *x = a, *y = b;

    if (x->from != y->from)
        return x->from - y->from;
    if (x->to != y->to)
        return x->to - y->to;
    return x->words < y->words ? -1 : x->words > y->words;
}

/* A run's rounds, each sorted, as text. */
static char *
rounds_of(const struct peal_machine *machine)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    for (size_t r = 0; r < schedule->round_count; r++) {
        const struct peal_round *round = peal_schedule_round(schedule, r);
        struct peal_transfer *own = schedule->transfers + round->first;

        qsort(own, round->count, sizeof *own, compare_transfers);
        fprintf(out, "%lld:", (long long)round->charge.beta);
        for (size_t i = 0; i < round->count; i++)
            fprintf(out, " %d>%d*%lld", own[i].from, own[i].to, (long long)own[i].words);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

/* Run the exercise and give its rounds; NULL where the algorithm does not fit. */
static char *
run(const struct peal_options *options, const struct peal_exercise *exercise)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_machine *machine = peal_machine_create(options, &error);
    struct peal_outcome outcome;
    char *rounds = NULL;

    cr_assert(machine, "%s", error.text);
    enum peal_status status = peal_exercise(machine, exercise, &outcome, &error);

    cr_assert(status == PEAL_OK || status == PEAL_USAGE, "%s: %s", exercise->algorithm, error.text);
    if (status == PEAL_OK) {
        cr_assert(outcome.verified);
        rounds = rounds_of(machine);
    }
    peal_machine_destroy(machine);
    return rounds;
}

/* Write the plan and read it again. */
static struct peal_plan *
again(const struct peal_plan *plan, const char *what)
{
    struct peal_error error = {PEAL_OK, ""};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    cr_assert_eq(peal_plan_write_msccl(out, plan, &error), PEAL_OK, "%s: %s", what, error.text);
    fclose(out);
    struct peal_plan *read = peal_plan_read("written", text, bytes, &error);

    cr_assert(read, "%s: %s", what, error.text);
    free(text);
    return read;
}

/* One algorithm on one machine; returns whether it fits. */
static bool
trip(const struct peal_options *options, const struct peal_algorithm *algorithm, size_t words, int root)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_exercise exercise = {
        .collective = algorithm->collective, .algorithm = algorithm->name, .words = words, .root = root};
    char *before = run(options, &exercise), what[200];
    struct peal_plan_verdict verdict;

    if (!before)
        return false;
    snprintf(what, sizeof what, "%s/%s on %d, %zu words, ports %d, %s", peal_collective_name(algorithm->collective),
             algorithm->name, options->nodes, words, options->ports, options->topology);
    struct peal_plan *plan = peal_plan_record(options, &exercise, &error);

    cr_assert(plan, "%s: %s", what, error.text);
    struct peal_plan *read = again(plan, what);

    cr_assert_eq(peal_plan_judge(read, NULL, &verdict, &error), PEAL_OK, "%s: %s", what, error.text);
    cr_expect(verdict.proved, "%s: %s", what, verdict.findings[0].message);
    const struct peal_algorithm *loaded = peal_plan_load(read, "written", &error);

    cr_assert(loaded, "%s: %s", what, error.text);
    exercise.algorithm = "written";
    char *after = run(options, &exercise);

    cr_expect_str_eq(after, before, "%s", what);
    free(before);
    free(after);
    peal_algorithm_unload(loaded);
    peal_plan_destroy(plan);
    return true;
}

static const int sizes[] = {1, 2, 3, 4, 5, 6, 8, 9, 16};
static const char *const topologies[] = {"full", "ring", "mesh", "hypercube"};

/* All algorithms of the catalogue on this machine; returns how many fit. */
static int
trip_all(struct peal_options *options, const char *only)
{
    const struct peal_algorithm *algorithm;
    int count = 0;

    for (int i = 0; (algorithm = peal_algorithm_get(i)); i++) {
        const struct peal_form *form = peal_form_of(algorithm->collective);
        size_t n = form->unequal ? 3 : 3 * (size_t)options->nodes;

        if (form->out == PEAL_SIDE_NONE || form->by || form->to || (only && strcmp(only, form->name) != 0))
            continue;
        count += trip(options, algorithm, n, 0);
        if (form->root && options->nodes > 2)
            count += trip(options, algorithm, n, options->nodes - 2);
    }
    return count;
}

Test(round_trip, every_algorithm_comes_back_with_its_rounds, .timeout = 300)
{
    bool thorough = getenv("PEAL_TEST_THOROUGH") != NULL;
    int count = 0;

    for (size_t p = 0; p < sizeof sizes / sizeof *sizes; p++)
        for (size_t t = 0; t < (thorough ? sizeof topologies / sizeof *topologies : 1); t++)
            for (int ports = 1; ports <= 3; ports++) {
                struct peal_options options;

                peal_options_init(&options);
                options.nodes = sizes[p];
                options.topology = topologies[t];
                options.ports = ports == 3 ? PEAL_PORTS_ALL : ports;
                if (strcmp(options.topology, "hypercube") == 0 && (sizes[p] & (sizes[p] - 1)) != 0)
                    continue;
                if (!thorough && (ports != 1 && sizes[p] != 5 && sizes[p] != 8))
                    continue;
                count += trip_all(&options, getenv("ONLY"));
            }
    cr_expect_gt(count, getenv("ONLY") ? 0 : 500);
    cr_log_info("%d schedules", count);
}
