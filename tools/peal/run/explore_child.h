/* SPDX-License-Identifier: MIT */
/* One run of an exploration, made in a child process. */
#ifndef PEAL_EXPLORE_CHILD_H
#define PEAL_EXPLORE_CHILD_H

#include "run/exploration.h"
#include <stdatomic.h>
#include <sys/types.h>

enum { MAX_FOUND = 24 };

/* What a child reports of its run, in memory that it shares. */
struct told_run {
    _Atomic bool ended;
    bool refused; /* the machine could not be made */
    int code;
    struct outcome found[MAX_FOUND];
    _Atomic int count;
    struct peal_error error;
};

/* A child that makes a run. */
struct explore_child {
    pid_t child; /* 0: none */
    int end;     /* of a pipe that closes with it */
    int output;  /* what the program printed */
    double limit;
    bool killed;
    bool watched;              /* by a supervisor, which reports the run where the process cannot */
    struct peal_order *order;  /* NULL: the usual run */
    struct peal_orders *again; /* of the order once more, for a run that is watched; NULL */
    struct told_run *report;
};

/* What all runs of an exploration have in common. */
struct explore_setup {
    const struct session *session;
    int nodes;
    int out, input; /* what is printed goes to one and the standard input comes from the other; -1: none */
    double seconds; /* of one run */
};

/* Start the run of an order in a child; or the usual one, which is watched.
 *
 *   errors   PEAL_RESOURCES when there is no pipe or no process      */
enum peal_status explore_child_begin(const struct explore_setup *setup, struct explore_child *place,
                                     struct peal_order *order, struct peal_error *error);

/* Wait for the end of a child; if it could not report, its outcome says why.  False: the same run has begun again,
 * watched, to find out where it ended. */
bool explore_child_end(const struct explore_setup *setup, struct explore_child *place);

#endif
