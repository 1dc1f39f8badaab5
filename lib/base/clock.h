/* SPDX-License-Identifier: MIT */
/* The clock. */
#pragma once

#include <time.h>

/* Seconds of the monotonic clock. */
static inline double
seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
