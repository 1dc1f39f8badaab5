/* SPDX-License-Identifier: MIT */
/* A check under way: its child, what that reports, and the verdict. */
#pragma once

#include "lib/check/prover.h"
#include "lib/check/validate.h"
#include "lib/child/child_failure.h"

/* One check under way. */
struct check_job {
    const struct peal_check *check; /* NULL: none */
    const struct unit *unit;        /* NULL: of the catalogue */
    struct peal_verdict *verdict;
    struct proof_progress *progress; /* shared with the child */
    struct black_box *box;           /* this, too */
    struct child child;
    int from; /* the fewest nodes of the child's cases */
    bool ended;
    struct prover_end end; /* as the child reported it */
    int deaths;
    bool *reached;          /* for each number of nodes, whether its cases were run */
    struct numbers numbers; /* of a program */
    double called;          /* when peal_check was called: seconds of peal_spent_seconds */
    double began;           /* when this check began: seconds of seconds_now */
    uint64_t runs;
};

/* Begin a check with a child of its own; compiled: its file (NULL: it is of the catalogue).  One whose file does not
 * compile is over at once. */
enum peal_status job_begin(struct check_job *job, const struct peal_check *check, struct compiled_check *compiled,
                           struct peal_verdict *verdict, struct peal_error *error);

/* End its child, and free everything; `check` is NULL then. */
void job_fini(struct check_job *job);

/* Once a run of an untrusted function has timed out, give further runs less time. */
void jobs_hurry(struct check_job *jobs, int count, const struct peal_verdict *verdicts, int verdict_count);

/* Wait for a message of a child, or for a moment, and serve all children. */
enum peal_status jobs_attend(struct check_job *jobs, int count, struct peal_error *error);
