/* SPDX-License-Identifier: MIT */
/* How long a message takes between two nodes of an MPI job. */
#pragma once

#include "lib/study/range.h"
#include <peal/observe.h>

/* A measurement and its results. */
struct pingpong {
    int ranks[2];       /* the rank that sends first, the rank that answers */
    struct range sizes; /* words */
    int repetitions;    /* of each size, round trips */
    size_t count;       /* of sizes */
    double *times;      /* repetitions of the first size, then of the next: half of a round trip, in µs */
    char hosts[2][64];  /* of the two, by their own names */
};

/* Measure on a machine of the engine mpi.  Every size has its turn in each of ten passes (fewer with fewer
 * repetitions), so that a temporary disturbance affects all sizes; before each turn a message goes there and back and
 * is not counted. All processes call it; node 0's process gets the times.  Each size's times are sorted.
 *
 *   owner    the caller frees times, also after an error
 *   errors   PEAL_RESOURCES without memory or a machine; the run's failure    */
PEAL_PRIVATE enum peal_status peal_pingpong_run(struct pingpong *game, const struct peal_options *options,
                                                struct peal_error *error);

/* The median of the sorted times of the i-th size; the least; the most. */
PEAL_PRIVATE struct peal_spread peal_pingpong_spread(const struct pingpong *game, size_t i);
