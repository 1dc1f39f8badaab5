/* SPDX-License-Identifier: MIT */
/* What the interface of MPICH has besides the calls. */
#include <peal/mpi/mpi.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

/* Copies an attribute as it is. */
VISIBLE int MPIR_Dup_fn(int object, int key, void *extra, void *in, void *out, int *flag);

int
MPIR_Dup_fn(int object, int key, void *extra, void *in, void *out, int *flag)
{
    (void)object, (void)key, (void)extra;
    memcpy(out, &in, sizeof in);
    *flag = 1;
    return MPI_SUCCESS;
}

/* Programs use the values of these variables, whose names are macros in Peal. */
VISIBLE extern int *const mpich_unweighted __asm__("MPI_UNWEIGHTED"), *const mpich_weights_empty
    __asm__("MPI_WEIGHTS_EMPTY");
int *const mpich_unweighted = MPI_UNWEIGHTED, *const mpich_weights_empty = MPI_WEIGHTS_EMPTY;
