/* SPDX-License-Identifier: MIT */
/* The clock. */
#pragma once

#include "lib/base/private.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Nanoseconds of a clock; 0: the clock does not exist, or no longer exists. */
static inline int64_t
nanoseconds_of(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Nanoseconds, and seconds, of the monotonic clock. */
static inline int64_t
nanoseconds_now(void)
{
    return nanoseconds_of(CLOCK_MONOTONIC);
}

static inline double
seconds_now(void)
{
    return (double)nanoseconds_now() * 1e-9;
}

/* When work is to end: at a time of seconds_now(), 0 for never, or once a handler of a signal has set *stopped, where
 * that is not NULL. */
struct deadline {
    double end;
    const volatile sig_atomic_t *stopped;
};

static inline bool
deadline_is_over(const struct deadline *deadline)
{
    return (deadline->stopped && *deadline->stopped) || (deadline->end > 0 && seconds_now() >= deadline->end);
}

/* Call `take` with each thread of the process: with the folder of proc(5) that has all, and the thread's number there.
 * The heap is not used: it may be locked. */
typedef void thread_taker(void *what, int folder, const char *thread);
PEAL_PRIVATE void peal_threads_each(pid_t process, thread_taker *take, void *what);

/* Once a run has timed out, each further run gets this many seconds. */
enum { HURRIED_SECONDS = 1 };

/* How much of a time limit a process has used, with all processes that it has started and that still run: the time of
 * the clock, less that in which a thread of theirs waited for a processor.  So sleeping counts; time in which other
 * processes have the processors does not.
 *
 * Threads that wait for each other gain nothing by it: at each look time is taken off only if a thread computes or
 * waits just then, never more than all of them have waited since the last look, and never any in which one of them
 * computed.  At least a tenth of the clock's time always counts, so that every limit is reached.
 *
 * Where the system does not say how long a thread waited (no CONFIG_SCHEDSTATS, other systems, a sandbox), a process in
 * a sandbox takes what its parent has published.  Others count their processor time, at least a tenth of the clock's;
 * while they compute nothing, the clock's. */
struct time_spent {
    pid_t process; /* 0: this one */
    bool together; /* its processes share a limit: what each computes counts, as if they ran in turns */
    bool known;    /* `computed` and `waited` are of all threads at that look */
    int64_t counted, looked, computed, waited;
    int64_t pause; /* until the next look, which takes some time itself */
    int64_t published;
};

enum { SPENT_WINDOW = 250 * 1000 * 1000 };

/* Where the parent of a process in a sandbox publishes what it counts; NULL: it has none. */
extern _Atomic int64_t *spent_published;

/* Begin to count, of this process or of a child that has just been forked. */
PEAL_PRIVATE struct time_spent peal_spent_begin(pid_t process);

/* What is used by now; nothing is added before the window is over, unless this look is the last. */
PEAL_PRIVATE int64_t peal_spent_look(struct time_spent *spent, int64_t window, bool last);

/* The part of `passed` nanoseconds that counts, by what all threads together computed and waited meanwhile, and whether
 * one of them, other than the one that looks, is runnable now. */
int64_t spent_counts(int64_t passed, int64_t computed, int64_t waited, bool runnable);

/* The part that counts of processes which share a limit: what all computed, and time in which all slept.  They are
 * taken to have slept unless one is runnable now, less what they waited; below 0: unknown, since one has ended. */
int64_t spent_counts_together(int64_t passed, int64_t computed, int64_t waited, bool runnable);

/* The window for a time limit of `seconds`. */
PEAL_PRIVATE int64_t peal_spent_window(double seconds);

/* Seconds counted of this process and those it started, in a count that never ends: the clock of limits that hold for
 * more than one process.  Ask it every second. */
PEAL_PRIVATE double peal_spent_seconds(void);

/* From now on it counts processes in another way, so that a limit does not depend on how many of them run at once. */
enum spent_by {
    SPENT_ALONE,    /* never more than the clock's time: for processes that the user has chosen */
    SPENT_TOGETHER, /* as `together` in struct time_spent */
    SPENT_EACH /* each process that this one starts with its own, together: the sum of what all take by themselves */
};
PEAL_PRIVATE void peal_spent_count(enum spent_by by);
