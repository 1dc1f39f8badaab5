/* SPDX-License-Identifier: MIT */
/* A program for MPI. */
#include "openmpi/mpi.h"
#include <stdio.h>

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    puts("hello");
    MPI_Finalize();
    return 0;
}
