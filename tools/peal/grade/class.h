/* SPDX-License-Identifier: MIT */
/* A class: submissions that are marked in parallel, each in a process of its own. */
#pragma once

#include "grade/marking.h"
#include "grade/submissions.h"
#include "run/progress_line.h"

/* What is marked.  The caller fills in all but the last two. */
struct class_marking {
    const struct assignment *assignment;
    const struct submissions *submissions;
    struct marking *markings; /* one per submission, each with its file; `done`: it is not marked again */
    const struct marking_options *options;
    /* Called whenever a submission is marked, and with NULL several times a second.  errors: end the marking */
    enum peal_status (*look)(void *arg, struct marking *news, struct peal_error *error);
    void *arg;
    int only; /* the only one to mark; -1: all */
    struct progress_line line;
    double began;
};

/* Mark every submission that is not done, or the only one.  A submission whose time is over, or whose process dies,
 * does not affect the others.  On a terminal a line of progress is shown.
 *
 *   blocks   until all are marked
 *   thread   no other thread may run in the process: it forks
 *   errors   of marking_make, of `look` */
enum peal_status class_mark(struct class_marking *class, struct peal_error *error);

/* Remove the line of progress before something is printed. */
void class_hide(struct class_marking *class);
