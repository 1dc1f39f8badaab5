/* SPDX-License-Identifier: MIT */
/* The clock. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock; 0: there is no such clock (any more). */
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

/* How much of a time limit a process has used: its processor time, at least a tenth of the clock's; or, while it
 * computes nothing, the clock's time, but between two looks no more than `window`.  So it costs nothing that others
 * have the processor: then either it computes a little, or who looks comes late, too. */
struct time_spent {
    clockid_t of;
    int64_t counted, looked, used;
};

enum { SPENT_WINDOW = 250 * 1000 * 1000 };

/* Of this process, or of another one. */
static inline struct time_spent
spent_begin(pid_t process)
{
    clockid_t of = CLOCK_PROCESS_CPUTIME_ID;

    if (process && clock_getcpuclockid(process, &of) != 0)
        of = (clockid_t)(1 << 20); /* there is none */
    return (struct time_spent){of, 0, nanoseconds_now(), nanoseconds_of(of)};
}

/* What is used by now; nothing is added before the window is over, unless this look is the last. */
static inline int64_t
spent_look(struct time_spent *spent, int64_t window, bool last)
{
    enum { IDLE = 64, PATIENCE = 10 };
    const int64_t now = nanoseconds_now(), passed = now - spent->looked;

    if (passed < window && !last)
        return spent->counted;
    const int64_t used = nanoseconds_of(spent->of), computed = used - spent->used,
                  slept = computed > passed / IDLE    ? passed / PATIENCE
                          : window && window < passed ? window
                                                      : passed,
                  longer = computed > slept ? computed : slept;

    spent->counted += longer < passed ? longer : passed;
    spent->looked = now;
    spent->used = used;
    return spent->counted;
}
