/* SPDX-License-Identifier: MIT */
/* Marking one submission: its file against every test of an assignment. */
#ifndef PEAL_MARKING_H
#define PEAL_MARKING_H

#include "assignment.h"

/* What came of one test. */
struct mark {
    bool passed;
    double points;
    char *notes; /* lines: what is wrong, each finding with its case; or why it is not proved; "" */
    uint64_t runs;
    bool unwatched; /* of a program: in some run nobody looked at what nodes do with memory */
};

/* Add a line to the notes. */
void mark_note(struct mark *mark, const char *format, ...) PEAL_PRINTF(2, 3);

/* What came of one submission. */
struct marking {
    const char *file;
    struct peal_error refused; /* why it was not marked; PEAL_OK: it was */
    bool compiles;
    char *messages;     /* the compiler's; "" */
    struct mark *marks; /* one a test */
    double points;
};

/* How submissions are compiled and checked. */
struct marking_options {
    const char *compiler; /* NULL: $CC */
    int jobs;             /* 0: two a core */
    size_t given_bytes;   /* of the submission's path: the folder that all are in, below which no link is followed */
};

/* Find out before the first submission is marked whether the compiler takes the assignment's cflags, and its drivers compile,
 * so that what is wrong there is not the submissions' fault.
 *
 *   blocks   for some compilations
 *   errors   PEAL_USAGE with the line of the assignment; PEAL_PROGRAM when nothing compiles here; PEAL_RESOURCES */
enum peal_status marking_prepare(const struct assignment *assignment, const struct marking_options *options,
                                 struct peal_error *error);

/* Mark one submission.  Where the system cannot give what that takes, or the file is none to be marked, marking->refused says why, and
 * it has no points.
 *
 *   owner    the caller gives it back with marking_free, also after an error
 *   blocks   until every test was made
 *   errors   PEAL_USAGE when a test cannot be made as the assignment says; PEAL_PROGRAM when a file of the assignment (a
 *            driver, a reference) is wrong                                                                        */
enum peal_status marking_make(struct marking *marking, const struct assignment *assignment, const char *file,
                              const struct marking_options *options, struct peal_error *error);
void marking_free(struct marking *marking, const struct assignment *assignment);

#endif
