/* SPDX-License-Identifier: MIT */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int *count = malloc(2 * sizeof *count), rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        count[0] = 1; /* the other one is forgotten */
    if (count[1] > 0)
        printf("rank %d has more\n", rank);
    free(count);
    MPI_Finalize();
    return 0;
}
