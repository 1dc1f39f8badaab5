/* SPDX-License-Identifier: MIT */
/* Notes of strict runs: what the standard allows and other libraries need not, or what is seldom meant. */
#pragma once

#include "mpi/comm.h"
#include "mpi/finding.h"

/* Forget what the last run's nodes did. */
void notes_start(void);

/* A message is sent with this tag; the program asks for the largest. */
enum { SURE_TAG = 32767 }; /* every library has tags up to here */
void notes_large_tag(struct mpi *mpi, int tag);
void notes_tag_asked(struct mpi *mpi);

static inline void
notes_tag(struct mpi *mpi, int tag)
{
    if (__builtin_expect(tag > SURE_TAG, 0) && finding_strict())
        notes_large_tag(mpi, tag);
}

/* Data of this type are moved, or reduced: MPI_LONG_INT and MPI_SHORT_INT are pairs, and are mistaken for integers.
 * notes_left, in MPI_Finalize, reports those that were only moved. */
void notes_moved(struct mpi *mpi, const struct type *type);
void notes_reduced(const struct type *type);
void notes_left(struct mpi *mpi);

/* The node frees a receive that is not complete.  A later message of the same sender tells it that the data are there;
 * notes_left reports those without one. */
struct message_end;
void notes_freed(struct mpi *mpi, const struct message_end *end);
void notes_came(struct mpi *mpi, const struct message_end *end, int source);

/* A struct type has members of this type from `offset` on: block i. */
void notes_member(struct mpi *mpi, int i, const struct type *type, ptrdiff_t offset);
