/* SPDX-License-Identifier: MIT */
/* One run of a case of a check: its machine, the call of each node, and the verdict.
 *
 *   thread   one at a time in a process: the nodes of a user's file find it by themselves (peal_check_call) */
#pragma once

#include "lib/check/printed.h"
#include "lib/check/shown.h"

struct runner {
    const _Atomic bool *hurried; /* runs have HURRIED_SECONDS; NULL: never */
    int error_output;            /* the end of a pipe from which standard error is read; -1: none */
    const struct peal_check *check;
    const struct unit *unit;        /* the user's file, compiled; NULL */
    struct peal_program_file *file; /* it, loaded; NULL */
    struct peal_callee algorithm;   /* of the catalogue, which is checked; none: the user's file is */
    const char *engine;
    bool apart;              /* the process is that of one node: see runner_apart */
    int null;                /* /dev/null */
    struct printed printed;  /* of a whole program */
    struct vectors data;     /* of the current or the last run */
    struct vectors earlier;  /* of the first of two calls */
    struct shown_case shown; /* the run for a finding's page */
    struct {
        int node, count;          /* the lowest node that returned an error code, and how many did; set by nodes */
        int of[2];                /* how many did from each call */
        char text[100];           /* the code in words */
    } errors;                     /* of a function for MPI */
    struct peal_check_case first; /* of two calls */
    bool refused, accepted;       /* where it may refuse: a case was refused; one with words was not */
    bool turned_down;             /* the last run's case was refused */
    int64_t *sent;                /* the run's start-ups when each node came to its last call */
    size_t room;                  /* of `sent`, in nodes */
    atomic_int entered[2], early; /* of a barrier: nodes that entered each call, and nodes that left one before the last
                                     node entered */
};

/* The engine that runs are made on: fibers where this build has them. */
const char *runner_engine(void);

/* The bytes of each stack of `nodes` nodes that run a user's file: as much as a thread has in peal run, as far as the
 * addresses allow, so that an array that works there is not refused here. */
size_t runner_stack_bytes(int nodes);

/* Prepare what runs of this check need; borrows both.  Load the user's file.
 *
 *   errors   PEAL_PROGRAM, PEAL_RESOURCES: it cannot be loaded or watched; nothing else can be done then */
void runner_init(struct runner *runner, const struct peal_check *check, const struct unit *unit);
/* Turn to another check of the same unit. */
void runner_take(struct runner *runner, const struct peal_check *check);
enum peal_status runner_load(struct runner *runner, struct peal_error *error);
void runner_fini(struct runner *runner);

/* The operator that stands in for that of labels in a run on random words. */
const struct peal_op *runner_op(const struct peal_check_case *where);

/* Of a node's process (confirm.h): load the file for `most_nodes` nodes, unwatched; run the case of the node `rank`,
 * with these words as its data.  *failure is that of the machine, or NULL.
 *
 *   errors   PEAL_PROGRAM, PEAL_RESOURCES */
enum peal_status runner_load_apart(struct runner *runner, int most_nodes, struct peal_error *error);
enum peal_status runner_apart(struct runner *runner, struct peal_machine *machine, const struct peal_check_case *c,
                              int rank, const uint64_t *words, size_t count, const struct peal_failure **failure,
                              struct peal_error *error);

/* The machine for a case, which the caller destroys; NULL with *error when it is impossible. */
struct peal_machine *runner_machine(const struct runner *runner, const struct peal_check_case *c,
                                    struct peal_error *error);

/* The situation for an algorithm, a closed form or a lower bound in this case. */
struct peal_situation runner_situation(const struct runner *runner, const struct peal_check_case *c,
                                       const struct peal_machine *machine);

/* The charge of the last run, in words of the case. */
struct peal_cost runner_cost(const struct runner *runner, const struct peal_machine *machine);

/* The fault of a failed run, which may be by a watched access. */
struct peal_fault fault_of(const struct peal_failure *failure);

/* The note that a receive of the last run, in which nothing was wrong, is longer than its buffer; false: none is. */
bool runner_noted(const struct peal_machine *machine, struct peal_finding *note);

/* Make a run of the case.  *well: nothing is wrong; otherwise the finding says what is.
 *
 *   owner    borrows c until the next run
 *   blocks   until the run is over
 *   errors   PEAL_RESOURCES: none was made */
enum peal_status runner_run(struct runner *runner, struct peal_machine *machine, const struct peal_check_case *c,
                            struct peal_finding *finding, bool *well, struct peal_error *error);
