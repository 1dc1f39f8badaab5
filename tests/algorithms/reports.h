/* SPDX-License-Identifier: MIT */
/* Node programs that are run for their failure. */
#ifndef TESTS_ALGORITHMS_REPORTS_H
#define TESTS_ALGORITHMS_REPORTS_H

#include "harness.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Run a program on a machine and keep what it failed with, if it did. */
struct report {
    bool failed;
    enum peal_failure_kind kind;
    char message[1000], file[512];
    int line;
};

static inline struct report
run_on(const struct peal_options *options, peal_program program, void *arg)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);
    const struct peal_failure *failure;
    struct report report = {0};

    cr_assert_not_null(machine, "%s", error.text);
    failure = peal_run(machine, program, arg);
    if (failure != NULL) {
        report = (struct report){.failed = true, .kind = failure->kind, .line = failure->line};
        snprintf(report.message, sizeof report.message, "%s", failure->message);
        snprintf(report.file, sizeof report.file, "%s", failure->file);
    }
    peal_machine_destroy(machine);
    return report;
}

static inline struct report
run_plain(int nodes, const char *topology, peal_program program, void *arg)
{
    struct peal_options options = options_for(nodes, topology);

    return run_on(&options, program, arg);
}

static inline void
expect_failure(struct report report, enum peal_failure_kind kind, const char *part)
{
    cr_expect(report.failed, "nothing failed");
    cr_expect_eq(report.kind, kind, "%s: %s", peal_failure_name(report.kind), report.message);
    cr_expect_not_null(strstr(report.message, part), "'%s' not in '%s'", part, report.message);
}

#endif
