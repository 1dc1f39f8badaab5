/* SPDX-License-Identifier: MIT */
/* What a grading writes for other programs: JUnit's XML for test tools, results.json for Gradescope. */
#pragma once

#include "grade/marking.h"
#include "grade/submissions.h"
#include <stdio.h>

/* One suite a submission, one test case a test. */
void grade_write_junit(FILE *out, const struct marks *marks);

/* A result each failed test, at the submission's file. */
void grade_write_sarif(FILE *out, const struct marks *marks);

/* results.json of the first submission, as https://gradescope-autograders.readthedocs.io/en/latest/specs/ describes
 * it. */
void grade_write_gradescope(FILE *out, const struct marks *marks);

/* The text of a document on a test, for the author of the submission. */
const char *grade_text(const struct mark *mark);

/* Make the folder of results, and check that each submission gets its own file there.
 *
 *   errors   PEAL_USAGE when it cannot be made or written to, or two submissions would share a file       */
enum peal_status grade_folder_prepare(const char *folder, const struct submissions *submissions,
                                      struct peal_error *error);

/* Write FOLDER/SUBMISSION.json for each: the submission as it was named, with _ for /. */
enum peal_status grade_folder_write(const char *folder, const struct marks *marks, struct peal_error *error);
