/* SPDX-License-Identifier: MIT */
/* Showing marks as a table, on standard output. */
#pragma once

#include "grade/marking.h"

/* Print the marks of one submission, and the notes on its tests: a fault that a test before has, too, is told there. */
void grade_show_marking(const struct assignment *assignment, const struct marking *marking);

/* Print a row a submission, a column a test.  errors: PEAL_RESOURCES */
enum peal_status grade_show_summary(const struct assignment *assignment, const struct marking *markings, int count,
                                    struct peal_error *error);
