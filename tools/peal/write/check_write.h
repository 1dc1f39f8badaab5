/* SPDX-License-Identifier: MIT */
/* The report of checks for programs. */
#ifndef PEAL_CHECK_WRITE_H
#define PEAL_CHECK_WRITE_H

#include "run/checks.h"
#include <stdio.h>

/* Write the results: as peal/check/1 (peal-json(5)); as a JUnit suite, a test case a check, which fails with its
 * findings; as a log in SARIF.  `shown` is the run of the first finding, for a page (NULL: none). */
void check_write_json(FILE *out, const struct checks *all, const char *shown);
void check_write_junit(FILE *out, const struct checks *all);
void check_write_sarif(FILE *out, const struct checks *all);

#endif
