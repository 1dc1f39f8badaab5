/* SPDX-License-Identifier: MIT */
/* Tests of the clock of time limits. */
#include "lib/base/clock.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSED = 1000 * 1000 };

Test(clock, counts_a_sleep_whole_whatever_its_threads_have_waited)
{
    cr_expect_eq(spent_counts(PASSED, 0, 0, false), PASSED);
    cr_expect_eq(spent_counts(PASSED, PASSED / 100, PASSED / 2, false), PASSED);
}

Test(clock, counts_no_wait_for_a_processor)
{
    cr_expect_eq(spent_counts(PASSED, PASSED * 2 / 5, PASSED * 3 / 5, true), PASSED * 2 / 5);
    cr_expect_eq(spent_counts(PASSED, PASSED / 4, PASSED / 4, true), PASSED * 3 / 4); /* it slept, too */
}

Test(clock, counts_what_was_computed_however_many_threads_wait)
{
    cr_expect_eq(spent_counts(PASSED, PASSED, 8 * PASSED, true), PASSED);
    cr_expect_eq(spent_counts(PASSED, PASSED / 2, 8 * PASSED, true), PASSED / 2);
    cr_expect_eq(spent_counts(PASSED, 4 * PASSED, 0, true), PASSED); /* on four processors */
}

Test(clock, knows_a_wait_that_is_not_over)
{
    cr_expect_eq(spent_counts(PASSED, 0, 0, true), PASSED / 10);
}

Test(clock, counts_a_tenth_in_any_case)
{
    cr_expect_eq(spent_counts(PASSED, PASSED / 100, PASSED * 99 / 100, true), PASSED / 10);
    cr_expect_eq(spent_counts(PASSED, 1, 100 * PASSED, true), PASSED / 10);
}

static void *
spin(void *none)
{
    for (volatile bool on = true; on;)
        ;
    return none;
}

/* What a child does that never ends. */
static void
be_child(int how)
{
    pthread_t thread;

    for (int i = 0; i < 8 && how == 1; i++)
        pthread_create(&thread, NULL, spin, NULL);
    if (how == 2 && fork() == 0)
        spin(NULL);
    for (;;)
        pause();
}

Test(clock, ends_children_that_sleep_or_have_threads_or_processes_that_compute, .timeout = 60)
{
    enum { WAYS = 3, WINDOW = 2 * 1000 * 1000, LIMIT = 10 * WINDOW };

    for (int how = 0; how < WAYS; how++) {
        pid_t child = fork();

        if (child == 0) {
            setpgid(0, 0);
            be_child(how);
        }
        setpgid(child, child);
        for (struct time_spent spent = peal_spent_begin(child); peal_spent_look(&spent, WINDOW, false) < LIMIT;)
            usleep(WINDOW / 1000);
        kill(-child, SIGKILL);
        cr_expect_eq(waitpid(child, NULL, 0), child);
    }
}
