/* SPDX-License-Identifier: MIT */
/* Buffers that operations use: from its start until it is complete an operation holds the bytes that it sends from, to which the
 * program must not write, and those that it receives into, which the program must not even read (MPI 3.1, sections 3.7.2, 5.12 and
 * 11.3).
 *
 * They are kept in runs of programs that were compiled with pealcc --watch, whose own accesses to them are reported, and, unless the
 * run is strict (active.h), calls that use them. */
#ifndef LIB_MPI_HELD_H
#define LIB_MPI_HELD_H

#include "lib/mpi/pieces.h"

/* What kind of operation uses a buffer. */
enum user { MESSAGE, COLLECTIVE, WINDOW };

/* The pieces of memory of one buffer of an operation. */
struct hold {
    struct hold *next, *previous; /* of its node's */
    struct hold *more;            /* of its operation */
    const char *call, *site;      /* that began the operation */
    bool writes;                  /* the operation receives into it */
    enum user user;
    bool shared;                  /* another receive puts a message into the same memory */
    uintptr_t begin, end;         /* between which all pieces lie */
    struct peal_piece one, *list; /* list: scratch, of more than one */
    int count;
    const void *told[4]; /* where accesses were reported */
};

/* Before and after a run of `nodes` nodes.  False without memory. */
bool held_begin(int nodes);
void held_end(void);

/* Whether buffers are kept in this run. */
bool held_wanted(void);

/* Have the operation that the call begins, whose buffers are *holds, hold the data too, or bytes that it reads: a list of counts.
 * Report it if another one holds them already. */
void held_take(struct mpi *mpi, const struct data *data, bool writes, enum user user, struct hold **holds);
void held_take_bytes(struct mpi *mpi, const void *bytes, size_t count, enum user user, struct hold **holds);

/* The operation is complete. */
void held_give(struct mpi *mpi, struct hold **holds);

/* Report it if an operation holds the data that the call uses while it lasts. */
void held_look(struct mpi *mpi, const struct data *data, bool writes, enum user user);

/* The node comes to MPI_Finalize: nothing is held any more. */
void held_leave(struct mpi *mpi);

/* Whether one of these was reported, or another receive has put a message there: a change of the buffer is no news. */
bool held_explains(const struct hold *holds);

/* The program's own function is called from within MPI, and has returned: its accesses are MPI's. */
void held_pause(const struct mpi *mpi, bool pause);

#endif
