/* SPDX-License-Identifier: MIT */
/* Integers in windows that nodes get, change and put back: in strict runs a change that is lost so is a note. */
#pragma once

#include "mpi/win.h"

/* Before a run and after it. */
void counter_begin(int nodes);
void counter_end(void);

/* This node has got, or puts, the data at `buffer`, of the type and rank of `target`, in a passive epoch. */
void counter_got(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, const char *buffer);
void counter_put(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, const char *buffer);
