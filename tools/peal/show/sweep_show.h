/* SPDX-License-Identifier: MIT */
/* The report of a sweep for people: the times of each point, or a map of the best algorithms, the sizes from which
 * another is best, and how much of it was run. */
#pragma once

#include "lib/study/trial_grid.h"
#include <stdio.h>

/* Print a grid that is filled.  errors: PEAL_RESOURCES */
enum peal_status sweep_show(const struct trial_grid *grid, struct peal_error *error);

/* Write NAME.dat and NAME.gp, each whole or not at all, then let gnuplot draw NAME.svg.  Where gnuplot is not
 * installed, the drawing is left out, and a note on stderr reports it.
 *
 *   errors   PEAL_USAGE when a file cannot be written; PEAL_RESOURCES when writing or drawing failed  */
enum peal_status plot_write(const struct trial_grid *grid, const char *name, struct peal_error *error);

/* Write a grid that is filled: a line for each cost; as peal/sweep/1 (peal-json(5)); two columns for each algorithm and
 * number of nodes, as the OSU micro-benchmarks print them. */
void sweep_write_csv(FILE *out, const struct trial_grid *grid);
void sweep_write_json(FILE *out, const struct trial_grid *grid);

/* Write a grid's choices as the file of dynamic rules of Open MPI's module tuned; a document_writer.
 * errors: PEAL_USAGE for a collective without rules there, or without any of these algorithms */
enum peal_status rules_write(FILE *out, const void *what, struct peal_error *error);
void sweep_write_osu(FILE *out, const struct trial_grid *grid);
