/* SPDX-License-Identifier: MIT */
/* What marking.c and its parts share: the submission that is marked, its tests of programs, forbidden calls, and
 * outputs. */
#pragma once

#include "grade/marking.h"
#include "lib/marking/contained.h"

/* What the marking of one submission works on. */
struct marking_work {
    const struct assignment *assignment;
    const struct marking_options *options;
    struct marking *marking;
    struct peal_contained *calls; /* the submission by itself; NULL: it does not compile */
    struct marking_build {
        const struct assignment_test *test;         /* the first that runs it; NULL: nothing is built */
        struct peal_contained *program, *reference; /* NULL: it does not compile or link, as the messages say; none */
        char *messages;
    } built;         /* for the last test of a program */
    double deadline; /* when its time is up, by peal_spent_seconds */
    struct peal_error *error;
};

/* Whether the submission's time is over; if so, *mark reports it. */
bool marking_is_late(const struct marking_work *work, struct mark *mark);

/* Hint at a datatype of MPI none of whose elements the submission has, where a result is wrong. */
void marking_note_datatype(const struct marking_work *work, struct mark *mark);

/* Run a test of a program: build it, and run all cases until one is wrong.
 *
 *   owner    the caller frees work->built with marking_unbuild
 *   errors   as of marking_make */
enum peal_status marking_program(struct marking_work *work, const struct assignment_test *test, struct mark *mark);

/* Compile the program of a test, and its reference, unless the last test had the same. */
enum peal_status marking_build(struct marking_work *work, const struct assignment_test *test);
void marking_unbuild(struct marking_build *built);

/* Note that it does not compile: the function that is missing, or the compiler's first lines. */
void marking_note_messages(const struct marking_work *work, const struct assignment_test *test, struct mark *mark);

/* Run the driver of a test in Python without a submission: it must end where it imports one.
 *
 *   errors   PEAL_PROGRAM when it ends elsewhere, or does not end; others as of peal_contained_run */
enum peal_status marking_try_driver(const struct assignment *assignment, const struct assignment_test *test,
                                    struct peal_error *error);

/* Note every name in `calls`, as of peal_contained_calls, that the test forbids or does not allow. */
void forbidden_note(const char *calls, const struct assignment_test *test, struct mark *mark);

/* Whether a call of this function of MPI fails a run of the test, a struct assignment_test. */
bool forbidden_refuses(const void *test, const char *name);

/* Whether the name is one of the lines. */
bool forbidden_has_line(const char *lines, const char *name);

/* Note how the output of a run differs from the one expected; false: it differs in nothing that counts.  With
 * tag_output on `nodes` nodes (otherwise 0), only the order of each node's own lines counts, where the nodes print what
 * the reference's do; `apart`: each node was in a process of its own. */
bool outputs_note(const struct assignment_test *test, const char *is, const char *should, int tagged_nodes, bool apart,
                  struct mark *mark);
