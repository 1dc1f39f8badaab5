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

Test(clock, counts_what_processes_compute_at_once_as_if_they_ran_in_turns)
{
    cr_expect_eq(spent_counts_together(PASSED, 4 * PASSED, 0, true), 4 * PASSED);           /* on four processors */
    cr_expect_eq(spent_counts_together(PASSED, PASSED / 4, 3 * PASSED, false), PASSED / 4); /* on a busy machine */
}

Test(clock, counts_the_sleep_of_processes_once)
{
    cr_expect_eq(spent_counts_together(PASSED, 0, 0, false), PASSED);
    cr_expect_eq(spent_counts_together(PASSED, PASSED / 4, PASSED / 4, false), PASSED * 3 / 4);
    cr_expect_eq(spent_counts_together(PASSED, 1, 100 * PASSED, true), PASSED / 10);
}

Test(clock, counts_what_was_computed_where_a_process_has_ended)
{
    cr_expect_eq(spent_counts_together(PASSED, PASSED / 2, -1, false), PASSED / 2);
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

/* Compute for so many nanoseconds of processor time. */
static void
compute(int64_t nanoseconds)
{
    while (nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) < nanoseconds)
        ;
}

/* Four children, one after another or at once, then count what they took. */
static double
count_of_children(bool at_once)
{
    enum { COUNT = 4 };
    pid_t children[COUNT];

    peal_spent_count(SPENT_EACH);
    const double began = peal_spent_seconds();

    for (int i = 0; i < COUNT; i++) {
        if ((children[i] = fork()) == 0) {
            compute(100 * 1000 * 1000);
            _exit(0);
        }
        if (!at_once)
            waitpid(children[i], NULL, 0);
    }
    for (int left = COUNT; at_once && left > 0; usleep(1000)) {
        peal_spent_seconds();
        left -= waitpid(-1, NULL, WNOHANG) > 0;
    }
    usleep(SPENT_WINDOW / 1000);
    return peal_spent_seconds() - began;
}

Test(clock, counts_the_same_of_processes_at_once_and_in_turns, .timeout = 60)
{
    const double in_turns = count_of_children(false), at_once = count_of_children(true);

    cr_expect(in_turns >= 0.4 && at_once >= 0.4, "%g, %g", in_turns, at_once);
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
