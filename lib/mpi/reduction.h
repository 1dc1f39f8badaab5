/* SPDX-License-Identifier: MIT */
/* What reductions share. */
#ifndef LIB_MPI_REDUCTION_H
#define LIB_MPI_REDUCTION_H

#include "lib/mpi/comm.h"
#include "lib/mpi/op.h"

/* The operator of a call on the elements of a type, and the node on which its words are such elements. */
struct reduction {
    struct peal_op op;
    const struct type *type;
    MPI_User_function *function; /* the program's own; NULL: op.combine is one of MPI's */
    struct mpi *mpi;
    struct peal_node *view;
};

/* Find the operator of a call. */
int reduction_find(struct mpi *mpi, struct comm *comm, MPI_Op handle, const struct type *type,
                   struct reduction *reduction);

/* Begin to reduce `bytes` bytes of elements: gives how many these are.  And the end of it. */
size_t reduction_open(struct reduction *reduction, const struct comm *comm, size_t bytes);
void reduction_close(struct reduction *reduction, const struct comm *comm);

#endif
