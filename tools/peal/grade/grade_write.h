/* SPDX-License-Identifier: MIT */
/* Marks, as a table on standard output and for other programs: JUnit's XML for test tools, results.json for Gradescope;
 * and "peal/grade/1" of peal-json(5), written, and read again to resume. */
#pragma once

#include "grade/marking.h"
#include "grade/submissions.h"
#include "write/writings.h"
#include <stdio.h>

/* One suite per submission, one test case per test. */
void grade_write_junit(FILE *out, const struct marks *marks);

/* One result for each failed test, at the submission's file. */
document_writer grade_write_sarif;

/* results.json of the first submission, as https://gradescope-autograders.readthedocs.io/en/latest/specs/ describes
 * it. */
void grade_write_gradescope(FILE *out, const struct marks *marks);

/* What documents say of a test to the author of the submission. */
const char *grade_text(const struct mark *mark);

/* Make the folder of results, and check that each submission gets its own file there.
 *
 *   errors   PEAL_USAGE when it cannot be made or written to, or two submissions would share a file       */
enum peal_status grade_folder_prepare(const char *folder, const struct submissions *submissions,
                                      struct peal_error *error);

/* Write FOLDER/SUBMISSION.json for each: the submission as it was named, with _ for /. */
enum peal_status grade_folder_write(const char *folder, const struct marks *marks, struct peal_error *error);

/* Print the marks of one submission, and the notes on its tests; of a fault that an earlier test has, its name. */
void grade_show_marking(const struct assignment *assignment, const struct marking *marking);

/* Print a row per submission, a column per test.  errors: PEAL_RESOURCES */
enum peal_status grade_show_summary(const struct assignment *assignment, const struct marking *markings, int count,
                                    struct peal_error *error);

/* Print the groups of submissions that are alike, if there are some. */
void grade_show_copies(const struct marks *marks);

void gradebook_write(FILE *out, const struct marks *marks);

/* Write the marks of one submission, as gradebook_parse reads them. */
void gradebook_write_one(FILE *out, const struct assignment *assignment, const struct marking *marking);

/* A gradebook that was read; zeroed: an empty one. */
struct gradebook {
    void *root; /* private */
};

/* Read a gradebook of this assignment.
 *
 *   owner    the caller closes it with gradebook_close, also after an error
 *   errors   PEAL_USAGE when it cannot be read or is not of this assignment */
enum peal_status gradebook_open(struct gradebook *book, const char *path, const struct assignment *assignment,
                                struct peal_error *error);
void gradebook_close(struct gradebook *book);

/* Take from the gradebook the marks of the submission marking->file (which are zeroed) that still hold: those of
 * unchanged tests, if its contents are unchanged; with `all` those of every test of the same name, whatever has
 * changed.  False: it has no mark of the submission; otherwise marks that were taken are `kept`. */
bool gradebook_take(const struct gradebook *book, const struct assignment *assignment, bool all,
                    struct marking *marking);

/* Read what gradebook_write_one wrote; false: the text is something else. */
bool gradebook_parse(const char *text, size_t bytes, const struct assignment *assignment, struct marking *marking);
