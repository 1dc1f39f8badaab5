/* SPDX-License-Identifier: MIT */
/* Buffers that operations use: from its start until it is complete an operation holds the bytes that it sends from, to
 * which the program must not write, and those that it receives into, which the program must not even read (MPI 3.1,
 * sections 3.7.2, 5.12 and 11.3).
 *
 * They are kept in strict runs, and in runs of programs that were compiled with pealcc --watch.  In both, calls that
 * use them are reported; in watched programs also the program's own accesses, in strict runs also buffers that have
 * changed by the end. */
#pragma once

#include "mpi/strict/span.h"

struct touch;

/* The kind of operation that uses a buffer. */
enum user { MESSAGE, COLLECTIVE, WINDOW };

/* The memory of one buffer of an operation. */
struct buffer_hold {
    struct byte_span span;    /* first: it is one of its node's */
    struct buffer_hold *more; /* of its operation */
    const char *call, *site;  /* that began the operation */
    bool writes;              /* the operation receives into it */
    bool shared;              /* another operation uses the same memory, which was reported or needs no report */
    enum user user;
    uint64_t hash;           /* in a strict run: of its contents at first */
    struct touch *touch;     /* the access, if it lies in a window (conflict.h); or NULL */
    const void *reported[4]; /* the places of accesses */
};

/* Before and after a run of `nodes` nodes.  False without memory. */
bool held_begin(int nodes);
void held_end(void);

/* Whether buffers are kept in this run. */
extern struct node_holds *held_nodes; /* by rank; NULL: they are not */

static inline bool
held_wanted(void)
{
    return held_nodes;
}

/* Make the operation that the call begins, whose buffers are *holds, hold the data, too, or bytes that it reads, such
 * as a list of counts.  Report it if another one holds them already. */
void held_take(struct mpi *mpi, const struct typed_data *data, bool writes, enum user user, struct buffer_hold **holds);
void held_take_bytes(struct mpi *mpi, const void *bytes, size_t count, enum user user, struct buffer_hold **holds);

/* The operation is complete: in a strict run, report buffers whose contents have changed. */
void held_compare(struct mpi *mpi, const struct buffer_hold *holds);

/* Release everything that the operation holds. */
void held_give(struct mpi *mpi, struct buffer_hold **holds);

/* Report it if an operation holds data that the call uses until it returns (held_return). */
void held_search(struct mpi *mpi, const struct typed_data *data, bool writes, enum user user);

static inline void
held_look(struct mpi *mpi, const struct typed_data *data, bool writes, enum user user)
{
    if (held_wanted())
        held_search(mpi, data, writes, user);
}

/* The call sends data that it receives into, too: report it if nobody has written them. */
void held_sends_in_place(struct mpi *mpi, const struct typed_data *data);

/* The node enters MPI_Finalize: release everything. */
void held_leave(struct mpi *mpi);

/* The program's own function is called from within MPI, and has returned: its accesses are MPI's. */
void held_pause(const struct mpi *mpi, bool pause);

/* The call that has used data is about to return: the data that it received are there. */
void held_return(struct mpi *mpi);

/* unwritten.c, in watched runs: report it if nobody has written the data that the call sends; what it receives counts
 * as written from now on. */
void unwritten_look(struct mpi *mpi, const struct typed_data *data, const struct byte_span *span, bool writes);

/* Whether the data of a call lie within one block of memory each, in strict and in watched runs. */

/* Report it if data that the call sends, or, if it writes, receives, end beyond the block in which they begin.  The
 * span is that of the data: of a receive, it then ends with the block. */
void bounds_look(struct mpi *mpi, const struct typed_data *data, struct byte_span *span, bool writes);

/* `bytes` bytes of the data came for the receive at `site`, and are unpacked next: in a check they must fit. */
void bounds_look_came(struct mpi *mpi, const struct typed_data *data, size_t bytes, const char *site);

/* The data are block i of a call whose buffer is at `base`: report it if they begin outside the block of memory that
 * has `base`, and in no other known block. */
void bounds_look_beyond(struct mpi *mpi, const void *base, int i, const struct typed_data *data, bool writes);

/* Advise on a datatype with gaps, if this is one that was not resized: its elements reach into other memory.  Whether
 * two addresses are known to lie in different blocks of memory. */
bool bounds_advise_gaps(struct mpi *mpi, MPI_Datatype datatype);
bool bounds_apart(struct mpi *mpi, const void *one, const void *other);

/* The memory becomes a window, or part of one: report it if it ends beyond its block. */
void bounds_look_window(struct mpi *mpi, const void *base, size_t bytes);
/* The memory of a status, which in Fortran may be a variable of another length. */
void bounds_look_status(struct mpi *mpi, const void *status);

/* Allocate memory for the program, zeros, which is a block from now on; free it. */
void *bounds_alloc(struct mpi *mpi, size_t bytes, bool own);
void bounds_free(struct mpi *mpi, void *memory);
