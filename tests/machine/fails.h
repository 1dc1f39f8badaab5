/* SPDX-License-Identifier: MIT */
/* Run a program that fails, for tests of failures. */
#ifndef TESTS_MACHINE_FAILS_H
#define TESTS_MACHINE_FAILS_H

#include "tests/machine/harness.h"

static inline void
well(struct peal_node *me, void *arg)
{
    int64_t x = 1, y = 0;

    (void)arg;
    peal_alloc(me, 100);
    peal_sendrecv(me, &x, 1, peal_rank(me), &y, 1, peal_rank(me));
}

/* Run `program`, expect this failure, and that the same machine then runs another program. */
static inline struct peal_failure
fails(enum peal_failure_kind kind, struct peal_options options, peal_program program, int rank)
{
    static struct peal_failure copy;
    struct peal_machine *machine = run_into(kind, options, program, NULL);

    copy = *peal_machine_failure(machine);
    cr_expect_eq(copy.rank, rank, "rank %d: %s", copy.rank, copy.message);
    cr_expect_null(strchr(copy.message, '\n'));
    cr_expect_null(peal_run(machine, well, NULL), "%s", peal_machine_failure(machine)->message);
    cr_expect_null(peal_machine_failure(machine));
    peal_machine_destroy(machine);
    return copy;
}

#define PROGRAM(name, ...)                                                                                             \
    static void name(struct peal_node *me, void *arg)                                                                  \
    {                                                                                                                  \
        int64_t x[4] = {0};                                                                                            \
        (void)me, (void)arg, (void)x;                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

#endif
