/* SPDX-License-Identifier: MIT */
/* The report of checks for people: how each ended; for each finding the smallest case and the command to repeat it. */
#pragma once

#include "run/checks.h"

/* Print the results. */
void check_show(FILE *out, const struct checks *all);

/* The command that runs the finding's case alone, as for a shell; NULL without memory.  owner: the caller frees it */
char *check_show_command(const struct peal_check *check, const struct peal_finding *finding);

/* Write the results: as peal/check/1 (peal-json(5)); as a JUnit suite, a test case a check, which fails with its
 * findings; as a log in SARIF.  `shown` is the run of the first finding, for a page (NULL: none). */
void check_write_json(FILE *out, const struct checks *all, const char *shown);
void check_write_junit(FILE *out, const struct checks *all);
document_writer check_write_sarif;
