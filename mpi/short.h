/* SPDX-License-Identifier: MIT */
/* The short way of most messages: standard ones of one piece, of a communicator of one group, in runs that keep no
 * buffers.
 *
 * The machine finds out whether they may go it, peers and tags included.  What may not, and what is wrong, is left to
 * the functions that take any message.  With it MPI_Sendrecv of a word takes 1060 instructions with its share of the
 * round instead of 1275; MPI_Irecv, MPI_Isend and MPI_Waitall take 2241 instead of 2809. */
#ifndef LIB_MPI_SHORT_H
#define LIB_MPI_SHORT_H

#include "mpi/comm.h"
#include "mpi/held.h"
#include "mpi/type.h"

/* Whether the communicator's messages may go the short way. */
static inline bool
comm_goes_short(const struct comm *c)
{
    return c && !c->inter && !held_wanted();
}

/* One side of such a message: false, it is none. */
static inline __attribute__((always_inline)) bool
short_find(struct mpi *mpi, const void *buffer, int count, MPI_Datatype handle, int peer, int tag, struct type **type,
           struct peal_short_post *post)
{
    size_t bytes;

    *type = type_find_dense(mpi, handle);
    if (!*type || count < 0 || buffer == MPI_IN_PLACE || __builtin_mul_overflow((*type)->size, (size_t)count, &bytes))
        return false;
    post->piece.data = (char *)(uintptr_t)buffer + (*type)->true_lb;
    post->piece.words = bytes;
    post->peer = peer;
    post->tag = tag;
    post->note = 0;
    return true;
}

#endif
