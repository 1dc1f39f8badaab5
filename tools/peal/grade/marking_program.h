/* SPDX-License-Identifier: MIT */
/* What marking.c and marking_program.c share: the submission that is marked, and its tests of programs. */
#pragma once

#include "grade/marking.h"
#include "lib/check/contained.h"

/* What the marking of one submission works on. */
struct marking_work {
    const struct assignment *assignment;
    const struct marking_options *options;
    struct marking *marking;
    struct peal_contained *calls; /* the submission by itself; NULL: it does not compile */
    double deadline;              /* when its time is up, by CLOCK_MONOTONIC */
    struct peal_error *error;
};

/* Whether the submission's time is over; if so, *mark reports it. */
bool marking_is_late(const struct marking_work *work, struct mark *mark);

/* Hint at a datatype of MPI none of whose elements the submission has, where a result is wrong. */
void marking_note_datatype(const struct marking_work *work, struct mark *mark);

/* Run a test of a program: compile it and run all cases until one is wrong.
 *
 *   errors   as of marking_make */
enum peal_status marking_program(const struct marking_work *work, const struct assignment_test *test,
                                 struct mark *mark);
