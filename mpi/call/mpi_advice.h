/* SPDX-License-Identifier: MIT */
/* How to correct the program, for one call and one fault: the fix of the failure or finding that the caller reports
 * next. */
#pragma once

#include "mpi/call/node.h"
#include <peal/hints.h>

enum { PLACE_WORDS = 160 };

/* "MPI_Comm_free (prog.c:12)", or the call alone where its line is not known; NULL stays NULL. */
const char *place_words(const struct mpi *mpi, const char *call, const char *site, char words[PLACE_WORDS]);

/* A handle names no object of its kind. */
void advise_handle(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle);

/* A root, or the rank of a partner, is out of range in this communicator. */
void advise_root(const struct mpi *mpi, const struct comm *comm, int rank);
void advise_partner(const struct mpi *mpi, const struct comm *comm, int rank, bool sends);

/* A count is below 0. */
void advise_count(const struct mpi *mpi, int count);

/* A buffer is NULL; a datatype is not committed. */
void advise_null_buffer(const struct mpi *mpi);
void advise_uncommitted(const struct mpi *mpi, uintptr_t handle);

/* One of MPI's operators is not defined for the datatype. */
struct type;
void advise_op(const struct mpi *mpi, const char *op, const struct type *type);

/* What a node sends itself in a collective is longer or shorter than what it receives from itself. */
struct typed_data;
void advise_own_block(const struct mpi *mpi, const struct comm *comm, const struct typed_data *sent,
                      const struct typed_data *received);

/* MPI_IN_PLACE is passed where the call does not take it, or would be right where buffers overlap. */
void advise_in_place(const struct mpi *mpi);
