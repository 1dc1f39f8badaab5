/* SPDX-License-Identifier: MIT */
/* What an algorithm does on a network, as integers that its time is modelled from: counted in a run of one word per
 * block, and exact for every multiple of it. */
#pragma once

#include "lib/study/trial.h"

/* The rounds whose largest message has the same number of words. */
struct counted_size {
    uint64_t words;           /* of that message */
    int64_t startups, charge; /* coefficients of α and β, shared links included */
};

enum { MAX_COUNTED_SIZES = 64 };

/* Counts of a run with m = 1 or n = P words.  An algorithm that cuts its vector scales where P divides n. */
struct run_counts {
    size_t words; /* m or n of the run */
    struct counted_size sizes[MAX_COUNTED_SIZES];
    int size_count;
    bool cuts;          /* no message is a whole vector: it is cut into parts, or all are blocks */
    int64_t startups;   /* rounds, the coefficient of α */
    int64_t overlapped; /* those of them that wait for no message: with ports for all they would vanish */
    uint64_t sent;      /* the longest messages of all rounds together */
    uint64_t combined;  /* words that the busiest node combines by the operator */
};

/* Count a run of the algorithm ("chain:16") on the network of the options, with their rules.
 *
 *   errors   PEAL_USAGE where it does not fit, or has too many messages to be run; those of a run */
PEAL_PRIVATE enum peal_status peal_counts_find(enum peal_collective collective, const char *algorithm,
                                               const struct peal_options *options, struct run_counts *counts,
                                               struct peal_error *error);
