/* SPDX-License-Identifier: MIT */
/* What is wrong with a program and does not end its run. */
#ifndef LIB_MPI_FINDING_H
#define LIB_MPI_FINDING_H

#include "lib/mpi/node.h"

struct end;
struct request;
struct type;

/* Whether the run is strict (PEAL_STRICT): leaks are listed, and buffers of pending messages are watched. */
bool finding_strict(void);

/* Forget what the last run's nodes recorded, and make room for `nodes` nodes: false without memory. */
bool finding_begin(int nodes);
void finding_end(void);

/* Record a finding of the call that the node makes, with one more place in code; rank -1: none.  The text follows the call's
 * name. */
void mpi_find(struct mpi *mpi, int kind, int rank, const char *site, const char *format, ...) PEAL_PRINTF(5, 6);

/* Give what travels with a message: its basic types, the place of this call.  0: any types match. */
uint64_t finding_note(struct mpi *mpi, const struct type *type, size_t count);

/* "MPI_INT", or what a derived type is made of: the number of its basic type, or 0. */
const char *finding_type_word(int basic);

/* Compare the types of a message that came with those of its receive. */
void finding_compare(struct mpi *mpi, const struct end *end, const struct peal_envelope *came);

/* Record what the node has left when it comes to MPI_Finalize. */
void finding_left(struct mpi *mpi);

#endif
