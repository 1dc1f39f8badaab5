/* SPDX-License-Identifier: MIT */
/* Shared by reductions. */
#ifndef LIB_MPI_REDUCTION_H
#define LIB_MPI_REDUCTION_H

#include "mpi/comm.h"
#include "mpi/op.h"

/* The operator of a call on the elements of a type. */
struct reduction {
    struct peal_op op;
    const struct type *type;
    MPI_User_function *function; /* the program's own; NULL: op.combine is one of MPI's */
    struct mpi *mpi;
};

/* Have the program's function combine elements that lie as it wants them. */
void reduction_call(const struct reduction *reduction, void *in, void *inout, size_t count);

/* Find the operator of a call. */
int reduction_find(struct mpi *mpi, struct comm *comm, MPI_Op handle, const struct type *type,
                   struct reduction *reduction);

#endif
