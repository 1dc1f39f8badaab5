/* SPDX-License-Identifier: MIT */
/* The report of a sweep for programs. */
#ifndef PEAL_SWEEP_WRITE_H
#define PEAL_SWEEP_WRITE_H

#include "lib/study/trial_grid.h"
#include <stdio.h>

/* Write a grid that is filled: a line for each cost; as peal/sweep/1 (peal-json(5)); two columns for each algorithm and
 * number of nodes, as the OSU micro-benchmarks print them. */
void sweep_write_csv(FILE *out, const struct trial_grid *grid);
void sweep_write_json(FILE *out, const struct trial_grid *grid);
void sweep_write_osu(FILE *out, const struct trial_grid *grid);

#endif
