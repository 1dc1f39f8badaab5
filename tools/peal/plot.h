/* SPDX-License-Identifier: MIT */
/* A sweep as a picture: data, a gnuplot script, and what gnuplot draws. */
#ifndef PEAL_PLOT_H
#define PEAL_PLOT_H

#include "grid.h"

/* Write NAME.dat and NAME.gp, each whole or not at all, then let gnuplot draw NAME.svg.  Where gnuplot is not installed
 * that is left out, which a note on stderr says.
 *
 *   errors   PEAL_USAGE when a file cannot be written; PEAL_RESOURCES when writing or drawing failed  */
enum peal_status plot_write(const struct grid *grid, const char *name, struct peal_error *error);

#endif
