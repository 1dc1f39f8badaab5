/* SPDX-License-Identifier: MIT */
/* Operators of reductions. */
#pragma once

#include "mpi/comm/comm.h"
#include "mpi/type/type.h"

/* Combine `count` elements: left ⊕ right into result, which may be left or right. */
typedef void (*combiner)(const void *left, const void *right, void *result, size_t count);

/* An operator from MPI_Op_create. */
struct op {
    bool commutative;
    bool fortran; /* the function is in Fortran, and gets the datatype as a number */
    MPI_User_function *function;
};

/* The combiner of one of MPI's operators on a basic type, whose elements lie packed; NULL: it is not defined for it. */
combiner op_combiner(MPI_Op op, const struct type *type);

/* The operator on labels of a run of peal check --mpi, all of whose numbers are labels; NULL in other runs.  Set by
 * judged.c. */
extern const struct peal_op *op_labels;

/* Whether MPI's operators on this type give the same bits in any order. */
bool op_is_exact(const struct type *type);

/* "MPI_SUM"; NULL: not one of MPI's. */
const char *op_name(MPI_Op op);

struct op *op_find(const struct mpi *mpi, MPI_Op op);

/* The operator of a call on the elements of a type. */
struct reduction {
    struct peal_op op;
    const struct type *type;
    MPI_User_function *function; /* the program's own; NULL: op.combine is one of MPI's */
    bool fortran;                /* that function is in Fortran */
    struct mpi *mpi;
};

/* Find the operator of a call. */
int reduction_find(struct mpi *mpi, struct comm *comm, MPI_Op handle, const struct type *type,
                   struct reduction *reduction);

/* ------------------------------------------------------------------ judged.c */

struct peal_judged_calls;

/* Make the calls of one node (`judges` of struct peal_runtime_hooks).  The run is over. */
void judged_calls(struct peal_node *me, const struct peal_judged_calls *calls);
void judged_end(void);
