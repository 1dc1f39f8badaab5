/* SPDX-License-Identifier: MIT */
/* The clock. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Nanoseconds, and seconds, of the monotonic clock. */
static inline int64_t
nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline double
seconds_now(void)
{
    return (double)nanoseconds_now() * 1e-9;
}
