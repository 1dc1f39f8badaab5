/* SPDX-License-Identifier: MIT */
/* The report of a sweep for people: the times of each point, or a map of the best algorithms, the sizes from which
 * another is best, and how much of it was run. */
#ifndef PEAL_SWEEP_SHOW_H
#define PEAL_SWEEP_SHOW_H

#include "lib/study/trial_grid.h"

/* Print a grid that is filled.  errors: PEAL_RESOURCES */
enum peal_status sweep_show(const struct trial_grid *grid, struct peal_error *error);

#endif
