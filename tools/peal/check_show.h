/* SPDX-License-Identifier: MIT */
/* What checks tell people: of each how it ended, and of each finding the smallest case and the command that runs it again. */
#ifndef PEAL_CHECK_SHOW_H
#define PEAL_CHECK_SHOW_H

#include "checks.h"

/* Print what came of them. */
void check_show(const struct checks *all);

#endif
