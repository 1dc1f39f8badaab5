/* SPDX-License-Identifier: MIT */
/* Operators of reductions. */
#ifndef LIB_MPI_OP_H
#define LIB_MPI_OP_H

#include "mpi/type.h"

/* Combine `count` elements: left ⊕ right into result, which may be left or right. */
typedef void (*combiner)(const void *left, const void *right, void *result, size_t count);

/* An operator from MPI_Op_create. */
struct op {
    bool commutative;
    MPI_User_function *function;
};

/* The combiner of one of MPI's operators on a basic type, whose elements lie packed; NULL: it is not defined for it. */
combiner op_combiner(MPI_Op op, const struct type *type);

/* "MPI_SUM"; NULL: not one of MPI's. */
const char *op_name(MPI_Op op);

struct op *op_find(const struct mpi *mpi, MPI_Op op);

#endif
