/* SPDX-License-Identifier: MIT */
/* The buffers of calls that are not complete, in strict runs: what the program must leave alone meanwhile. */
#ifndef LIB_MPI_ACTIVE_H
#define LIB_MPI_ACTIVE_H

#include "lib/mpi/span.h"

struct touch;

struct active {
    struct span span; /* first: it is one of mpi->active */
    struct data data;
    bool writes;      /* into the buffer, which nobody else accesses then; else it reads, and nobody writes */
    const char *call; /* that uses it, and its place */
    const char *site;
    const void *owner; /* what it belongs to: one call may have several */
    uint64_t hash;     /* of what it held */
    struct touch *touch;
};

/* A pending call of this name and place uses the buffer from now on.  Overlaps with others that use it are findings.  NULL in a run
 * that is not strict, and without data. */
struct active *active_open(struct mpi *mpi, const struct data *data, bool writes, const char *call, const char *site,
                           const void *owner);

/* Compare what the buffer holds with what it held at first. */
void active_compare(struct mpi *mpi, const struct active *active);

/* It is complete: with `compare`, compare first.  NULL does nothing. */
void active_close(struct mpi *mpi, struct active *active, bool compare);

/* The call that is made accesses the buffer, and is complete when it returns. */
void active_check(struct mpi *mpi, const struct data *data, bool writes);

/* A pending call's buffer with any of these bytes, which a read, or a write, must leave alone; NULL: there is none. */
const struct active *active_find(const struct mpi *mpi, const void *at, size_t bytes, bool writes);

#endif
