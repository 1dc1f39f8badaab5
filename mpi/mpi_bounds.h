/* SPDX-License-Identifier: MIT */
/* Whether the data of a call lie within one block of memory each, in strict runs. */
#pragma once

#include "mpi/span.h"

/* Report it if data that the call sends, or, if it writes, receives, end beyond the block in which they begin.  The span
 * is that of the data. */
void bounds_look(struct mpi *mpi, const struct typed_data *data, const struct byte_span *span, bool writes);

/* The data are block i of a call whose buffer is at `base`: report it if they begin outside the block of memory of
 * that, and in none that is known. */
void bounds_look_beyond(struct mpi *mpi, const void *base, int i, const struct typed_data *data, bool writes);

/* The memory becomes a window, or part of one: report it if it ends beyond its block. */
void bounds_look_window(struct mpi *mpi, const void *base, size_t bytes);

/* Allocate memory for the program, zeros, which is a block from now on; free it. */
void *bounds_alloc(struct mpi *mpi, size_t bytes, bool own);
void bounds_free(struct mpi *mpi, void *memory);
