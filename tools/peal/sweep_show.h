/* SPDX-License-Identifier: MIT */
/* What a sweep tells people: the times of each point, or a map of who is best, the sizes from which another one is, and how
 * much of it was run. */
#ifndef PEAL_SWEEP_SHOW_H
#define PEAL_SWEEP_SHOW_H

#include "grid.h"

/* Print a grid that is filled.  errors: PEAL_RESOURCES */
enum peal_status sweep_show(const struct grid *grid, struct peal_error *error);

#endif
