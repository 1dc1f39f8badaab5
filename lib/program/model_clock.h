/* SPDX-License-Identifier: MIT */
/* The time of a node of a linked program: the model's, moved on by each read, so that a loop on the clock ends: by a
 * nanosecond, doubled after every 1000 reads during which the machine's clock did not advance. */
#pragma once

/* All in nanoseconds; zeros at the node's start. */
struct model_clock {
    double offset, last; /* by which the node's time is ahead of the machine's; the machine's at the last read */
    double step;
    unsigned reads; /* one after another */
    unsigned total;
};

/* Read it, in seconds, when the machine's clock is at `now`. */
static inline double
model_clock_read(struct model_clock *clock, double now)
{
    enum { READS_ON_END = 1000 };

    if (now > clock->last || clock->step < 1) {
        clock->reads = 0;
        clock->step = 1;
    } else if (++clock->reads % READS_ON_END == 0) {
        clock->step *= 2;
    }
    clock->last = now;
    clock->offset += clock->step;
    return (now + clock->offset) * 1e-9;
}
