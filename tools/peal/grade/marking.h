/* SPDX-License-Identifier: MIT */
/* Marking one submission: its file against every test of an assignment. */
#pragma once

#include "grade/assignment.h"
#include "grade/submissions.h"

/* The result of one test. */
struct mark {
    bool passed;
    bool powers; /* not passed, but right where P is a power of two */
    double points;
    char *notes; /* lines: each finding with its case, or why it is not proved; "" */
    uint64_t runs;
    bool broken; /* the run of an MPI program failed by this fault; only the notes say how to correct it */
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT);
    bool unwatched;  /* of a program: in some run the nodes' use of memory was not checked */
    bool kept;       /* it was made earlier, and still holds */
    uint64_t digest; /* of the test, when it was made */
};

/* Add a line to the notes. */
void mark_note(struct mark *mark, const char *format, ...) PEAL_PRINTF(2, 3);

/* The result of one submission. */
struct marking {
    const struct submission *submission;
    const char *file;          /* the submission's */
    struct peal_error refused; /* why it was not marked; PEAL_OK: it was marked */
    bool compiles;
    char *messages;     /* of the compiler; "" */
    struct mark *marks; /* one per test */
    double points;
    bool done;
    bool hurried;    /* a test has timed out: each further run has HURRIED_SECONDS */
    uint64_t digest; /* of the file */
    double seconds, processor_seconds;
    uint64_t peak_bytes; /* of the largest process */
};

/* The marks of several submissions. */
struct marks {
    const struct assignment *assignment;
    struct marking *markings;
    int count;
    bool complete;               /* these are all submissions */
    const struct copies *copies; /* NULL: not known yet */
};

/* Begin the marking of a submission, which is borrowed; an empty one is then done, without points.  Clear it again.
 *
 *   errors   PEAL_RESOURCES */
enum peal_status marking_begin(struct marking *marking, const struct assignment *assignment,
                               const struct submissions *all, const struct submission *submission,
                               struct peal_error *error);
void marking_clear(struct marking *marking, const struct assignment *assignment);

/* Add up the points. */
void marking_add(struct marking *marking, const struct assignment *assignment);

/* The note on a test that was not run in time, with the assignment's limit. */
#define MARKING_LATE "timeout: the submission has used up its time for all tests, %g s (total_timeout)"

/* How the note begins on a function that is wrong, but right for these P. */
#define MARKING_POWERS "note: right where P is a power of two"

/* How submissions are compiled and checked. */
struct marking_options {
    const char *compiler; /* NULL: $CC */
    int jobs;             /* 0: two per core */
    size_t given_bytes;   /* of the submission's path: the folder of all submissions, below which no link is followed */
};

/* Check before the first submission is marked that the compiler takes the assignment's cflags, and that its drivers
 * compile, so that a mistake there is not blamed on the submissions.
 *
 *   blocks   for some compilations
 *   errors   PEAL_USAGE with the line of the assignment; PEAL_PROGRAM when nothing compiles here; PEAL_RESOURCES */
enum peal_status marking_prepare(const struct assignment *assignment, const struct marking_options *options,
                                 struct peal_error *error);

/* Mark one submission, which was begun, except for tests whose mark is kept.  Where the system lacks resources, or the
 * file must not be marked, marking->refused says why, and it has no points.
 *
 *   owner    the caller frees it with marking_free, also after an error
 *   blocks   until every test has run
 *   errors   PEAL_USAGE when a test cannot run as the assignment says; PEAL_PROGRAM when a file of the assignment (a
 *            driver, a reference) is wrong                                                                        */
enum peal_status marking_make(struct marking *marking, const struct assignment *assignment,
                              const struct marking_options *options, struct peal_error *error);
void marking_free(struct marking *marking, const struct assignment *assignment);
