/* SPDX-License-Identifier: MIT */
/* Verbs for tests of the machine: make one with a change or two, run a program on it, look at the result.
 *
 * The engine is the one named by $PEAL_ENGINE: every test is registered once for each (meson.build). */
#ifndef TESTS_MACHINE_HARNESS_H
#define TESTS_MACHINE_HARNESS_H

#include <criterion/criterion.h>
#include <peal/tools.h>
#include <stdlib.h>
#include <string.h>

static inline struct peal_options
options_for(int nodes)
{
    struct peal_options options;
    const char *engine = getenv("PEAL_ENGINE");

    peal_options_init(&options);
    options.nodes = nodes;
    if (engine)
        options.engine = engine;
    return options;
}

static inline bool
on_fibers(void)
{
    return strcmp(options_for(1).engine, "fibers") == 0;
}

static inline struct peal_machine *
machine_from(struct peal_options options)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(&options, &error);

    cr_assert(machine, "%s", error.text);
    return machine;
}

/* Run to a good end. */
static inline struct peal_machine *
run_well(struct peal_options options, peal_program program, void *arg)
{
    struct peal_machine *machine = machine_from(options);
    const struct peal_failure *failure = peal_run(machine, program, arg);

    cr_assert(!failure, "%s: %s", failure ? peal_failure_name(failure->kind) : "", failure ? failure->message : "");
    return machine;
}

/* Run into a failure of this kind. */
static inline struct peal_machine *
run_into(enum peal_failure_kind kind, struct peal_options options, peal_program program, void *arg)
{
    struct peal_machine *machine = machine_from(options);
    const struct peal_failure *failure = peal_run(machine, program, arg);

    cr_assert(failure, "the run ended well");
    cr_assert_eq(failure->kind, kind, "%s: %s", peal_failure_name(failure->kind), failure->message);
    return machine;
}

static inline void
expect_cost(const struct peal_machine *machine, int64_t alpha, int64_t beta, int64_t hop, int64_t tau)
{
    struct peal_cost cost = peal_machine_cost(machine);
    char text[200];

    cr_expect(peal_cost_equal(cost, (struct peal_cost){alpha, beta, hop, tau}), "the run cost %s",
              peal_cost_text(cost, text, sizeof text));
}

static inline void
expect_path(const struct peal_machine *machine, int64_t alpha, int64_t beta, int64_t hop, int64_t tau)
{
    struct peal_cost cost = peal_machine_critical_path(machine);
    char text[200];

    cr_expect(peal_cost_equal(cost, (struct peal_cost){alpha, beta, hop, tau}), "the critical path is %s",
              peal_cost_text(cost, text, sizeof text));
}

/* The schedule as text: "0>1:3 2>3:1 | 1>0:3", rounds in order. */
static inline const char *
schedule_text(const struct peal_machine *machine)
{
    static char text[4096];
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    size_t used = 0;

    text[0] = '\0';
    for (size_t r = 0; r < schedule->round_count; r++) {
        const struct peal_round *round = peal_schedule_round(schedule, r);

        used += (size_t)snprintf(text + used, sizeof text - used, r ? " |" : "");
        for (size_t i = round->first; i < round->first + round->count; i++) {
            const struct peal_transfer *transfer = &schedule->transfers[i];

            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d>%d:%llu", used ? " " : "", transfer->from,
                                     transfer->to, (unsigned long long)transfer->words);
        }
    }
    return text;
}

#endif
