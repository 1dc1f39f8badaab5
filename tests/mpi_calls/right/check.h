/* SPDX-License-Identifier: MIT */
/* Checks for the programs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("rank %d of %d: %s:%d: %s\n", rank, size, __FILE__, __LINE__, #condition);                          \
            MPI_Abort(MPI_COMM_WORLD, 9);                                                                              \
        }                                                                                                              \
    } while (0)

static inline void
begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}
