/* SPDX-License-Identifier: MIT */
/* What the interface of MPICH has besides the calls. */
#include "mpi/process/client.h"

COPIES(MPIR_Dup_fn, int)

/* Programs use the values of these variables, whose names are macros in Peal. */
VISIBLE extern int *const mpich_unweighted __asm__("MPI_UNWEIGHTED"), *const mpich_weights_empty
    __asm__("MPI_WEIGHTS_EMPTY");
int *const mpich_unweighted = MPI_UNWEIGHTED, *const mpich_weights_empty = MPI_WEIGHTS_EMPTY;
