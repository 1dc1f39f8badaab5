/* SPDX-License-Identifier: MIT */
/* Faults of a program that do not end its run. */
#ifndef LIB_MPI_FINDING_H
#define LIB_MPI_FINDING_H

#include "lib/mpi/node.h"

struct end;
struct request;
struct type;

/* Whether the run is strict (PEAL_STRICT): leaks are listed, and buffers of pending messages are watched. */
bool finding_strict(void);

/* Forget the records of the last run's nodes, and make room for `nodes` nodes: false without memory. */
bool finding_begin(int nodes);
void finding_end(void);

/* Record a finding of the call that the node makes, with one more place in code; rank -1: none.  The text follows the
 * call's name. */
void mpi_find(struct mpi *mpi, int kind, int rank, const char *site, const char *format, ...) PEAL_PRINTF(5, 6);

/* The note that travels with a message: its basic types, the place of this call.  0: any types match. */
uint64_t finding_note(struct mpi *mpi, const struct type *type, size_t count);

/* "MPI_INT", or the basic type of a derived type: its number, or 0. */
const char *finding_type_word(int basic);

/* The number of a note's basic type, if it has only one, from this bit on; else 0. */
enum { FINDING_BASIC = 40 };

static inline int
finding_basic(uint64_t note)
{
    return (int)(note >> FINDING_BASIC & 0xFF);
}

/* Compare the types of a received message, which has a note, with those of its receive. */
void finding_compare(struct mpi *mpi, const struct end *end, const struct peal_envelope *came);

/* A block of a collective came with fewer bytes than its receiver expects. */
void finding_short(struct mpi *mpi, const struct end *end, const struct peal_envelope *came);

/* Record the objects and requests that the node still has in MPI_Finalize. */
void finding_left(struct mpi *mpi);

#endif
