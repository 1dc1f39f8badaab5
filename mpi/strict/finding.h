/* SPDX-License-Identifier: MIT */
/* The notes of messages: their basic types, and where they were sent. */
#pragma once

#include "mpi/comm/comm.h"
#include "mpi/type/type.h"

#include <stdatomic.h>

struct message_end;
struct mpi_request;

/* Forget the records of the last run's nodes, and make room for `nodes` nodes: false without memory. */
bool finding_begin(int nodes);
void finding_end(void);

/* Where the parts of a message's note begin: the number of its basic type, if it has only one, and the place of its
 * send. */
enum { FINDING_BASIC = 40, FINDING_SITE = 48, FINDING_SITES = 4096 };

/* The calls that a node sent from: an open hash, whose slots are filled once. */
struct sites {
    _Atomic(const char *) slots[FINDING_SITES];
};

/* The first slot for a call. */
static inline size_t
finding_slot(const char *site)
{
    return ((uintptr_t)site * UINT64_C(0x9E3779B97F4A7C15)) >> 52;
}

/* The number of the call in the node's list, which may be a new one; 0: the list is full. */
uint64_t finding_site(struct mpi *mpi);

static inline uint64_t
finding_site_number(struct mpi *mpi)
{
    size_t at = finding_slot(mpi->file);

    if (mpi->sites && atomic_load_explicit(&mpi->sites->slots[at], memory_order_relaxed) == mpi->file)
        return at + 1;
    return finding_site(mpi);
}

/* The note that travels with a message: its basic types, and the place of this call.  0: any types match. */
uint64_t finding_note_of_several(struct mpi *mpi, const struct type *type, size_t count);

static inline uint64_t
finding_note(struct mpi *mpi, const struct type *type, size_t count)
{
    if (type->untyped || count == 0)
        return 0;
    return type->basic ? finding_site_number(mpi) << FINDING_SITE | (uint64_t)type->basic << FINDING_BASIC
                       : finding_note_of_several(mpi, type, count);
}

/* The number of a note's basic type, if it has only one; else 0. */
static inline int
finding_basic(uint64_t note)
{
    return (int)(note >> FINDING_BASIC & 0xFF);
}

/* Compare the types of a received message, which has a note, with those of its receive. */
void finding_compare(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came);

/* A message is longer than its receive: advise, and write who sent it and what, "node 0 sends 2 of MPI_INT, 8 bytes
 * (prog.c:12)". */
enum { SENDER_WORDS = 200 };
const char *finding_long(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came,
                         char words[SENDER_WORDS]);

/* A block of a collective came with fewer bytes than its receiver expects. */
void finding_short(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came);

/* Record the objects and requests that the node still has in MPI_Finalize, whose frame this is: stack memory below it
 * no longer holds variables. */
void finding_left(struct mpi *mpi, const void *frame);

/* Notes of strict runs: what the standard permits but other libraries need not support, or what is seldom meant. */

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

/* Data of this type are moved, or reduced: MPI_LONG_INT and MPI_SHORT_INT are pairs, but are mistaken for integers.
 * notes_left, in MPI_Finalize, reports those that were only moved. */
void notes_moved(struct mpi *mpi, const struct type *type);
void notes_reduced(const struct type *type);
void notes_left(struct mpi *mpi);

/* The node frees a receive that is not complete.  A later message of the same sender shows that the data are there;
 * notes_left reports receives without one. */
struct message_end;
void notes_freed(struct mpi *mpi, const struct message_end *end);
void notes_came(struct mpi *mpi, const struct message_end *end, int source);

/* The call uses the extent of the type, on which libraries differ if it is a struct with a resized member. */
void notes_extent(struct mpi *mpi, const struct type *type);

/* A struct type has members of this type from `offset` on: block i. */
void notes_member(struct mpi *mpi, int i, const struct type *type, ptrdiff_t offset);
