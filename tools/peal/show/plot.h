/* SPDX-License-Identifier: MIT */
/* A sweep as a picture: data, a gnuplot script, and gnuplot's drawing. */
#ifndef PEAL_PLOT_H
#define PEAL_PLOT_H

#include "lib/study/trial_grid.h"

/* Write NAME.dat and NAME.gp, each whole or not at all, then let gnuplot draw NAME.svg.  Where gnuplot is not
 * installed, the drawing is left out, and a note on stderr reports it.
 *
 *   errors   PEAL_USAGE when a file cannot be written; PEAL_RESOURCES when writing or drawing failed  */
enum peal_status plot_write(const struct trial_grid *grid, const char *name, struct peal_error *error);

#endif
