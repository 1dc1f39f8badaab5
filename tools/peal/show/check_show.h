/* SPDX-License-Identifier: MIT */
/* The report of checks for people: how each ended; for each finding the smallest case and the command to repeat it. */
#ifndef PEAL_CHECK_SHOW_H
#define PEAL_CHECK_SHOW_H

#include "run/checks.h"
#include <stdio.h>

/* Print the results. */
void check_show(FILE *out, const struct checks *all);

/* Write the command that runs the finding's case alone, as for a shell. */
void check_show_command(FILE *out, const struct peal_check *check, const struct peal_finding *finding);

#endif
