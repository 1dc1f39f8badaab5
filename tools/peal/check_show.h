/* SPDX-License-Identifier: MIT */
/* What checks tell people: of each how it ended, and of each finding the smallest case and the command that runs it again. */
#ifndef PEAL_CHECK_SHOW_H
#define PEAL_CHECK_SHOW_H

#include "checks.h"
#include <stdio.h>

/* Print what came of them. */
void check_show(FILE *out, const struct checks *all);

/* Write the command that runs the finding's case alone, as for a shell. */
void check_show_command(FILE *out, const struct peal_check *check, const struct peal_finding *finding);

#endif
