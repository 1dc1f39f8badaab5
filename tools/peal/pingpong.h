/* SPDX-License-Identifier: MIT */
/* How long a message takes between two nodes of an MPI job. */
#ifndef PEAL_PINGPONG_H
#define PEAL_PINGPONG_H

#include "range.h"
#include <peal/observe.h>

/* What is to be measured, and what came of it. */
struct pingpong {
    int ranks[2];       /* who sends first, and who answers */
    struct range sizes; /* words */
    int repetitions;    /* of each size, there and back */
    size_t count;       /* of sizes */
    double *times;      /* repetitions of the first size, then of the next: half the way there and back, in µs */
    char hosts[2][64];  /* of the two, as they call themselves */
};

/* Measure on a machine of the engine mpi.  In ten passes, or as many as there are repetitions, every size has its turn, so
 * that what disturbs for a while does so at all sizes; a message there and back goes before each turn and is not counted.
 * All processes call; the times come to node 0's.  Each size's times are sorted.
 *
 *   owner    the caller frees times, also after an error
 *   errors   PEAL_RESOURCES without memory or a machine; what the run failed for    */
enum peal_status pingpong_run(struct pingpong *game, const struct peal_options *options, struct peal_error *error);

/* The median of the sorted times of the i-th size; the least; the most. */
struct peal_spread pingpong_spread(const struct pingpong *game, size_t i);

#endif
