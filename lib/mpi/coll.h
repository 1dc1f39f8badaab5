/* SPDX-License-Identifier: MIT */
/* What the collectives share. */
#ifndef LIB_MPI_COLL_H
#define LIB_MPI_COLL_H

#include "lib/mpi/comm.h"
#include "lib/mpi/type.h"
#include <peal/collective.h>

/* Blocks of a buffer, one a rank: where each begins and how many elements it has. */
struct blocks_of {
    char *buffer;
    struct type *type;
    const int *counts; /* NULL: all of `count` */
    const int *displs; /* in elements; NULL: one behind the other */
    int count;
    size_t bytes;    /* of all */
    size_t *lengths; /* of each, in bytes; scratch.  NULL: all of `length` */
    size_t length;
    bool in_one; /* they lie one behind the other in one piece */
};

/* Check a root, counts, displacements and a type. */
int root_check(struct mpi *mpi, struct comm *comm, int root);
int blocks_check(struct mpi *mpi, struct comm *comm, const void *buffer, const int *counts, int count,
                 const int *displs, MPI_Datatype type, const char *what, struct blocks_of *blocks);
void blocks_fini(struct mpi *mpi, struct blocks_of *blocks);

/* The data of one block. */
struct data block_data(const struct blocks_of *blocks, int rank);

/* The blocks as bytes one behind the other: where they are, or a copy, packed if `filled`; and back into their places. */
char *blocks_packed(struct mpi *mpi, const struct blocks_of *blocks, int size, bool filled, char **copy);
void blocks_unpack(struct mpi *mpi, const struct blocks_of *blocks, int size, char *copy);

/* The algorithm that --coll names for a call, if it fits; NULL: the cheapest. */
const char *coll_algorithm(struct mpi *mpi, const struct comm *comm, enum peal_collective collective, size_t words,
                           const struct peal_op *op, int root, bool unequal);

/* Read what --coll says: false with a text on standard error if it cannot be. */
bool coll_configure(void);

/* Whether the two sizes of one node's own block agree. */
int same_bytes(struct mpi *mpi, struct comm *comm, size_t sent, size_t received);

#endif
