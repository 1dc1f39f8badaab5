/* SPDX-License-Identifier: MIT */
/* What the driver prints when my_allreduce is right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
    int rank, size, n = argc > 2 ? atoi(argv[1]) : 0, step = argc > 2 && strcmp(argv[2], "halves") == 0 ? 2 : 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; rank == 0 && i < size; i++) {
        int sum = 0;

        for (int j = step == 2 ? i % 2 : 0; j < size; j += step)
            sum += j + 1;
        printf("node %d:", i);
        for (int j = 0; j < n; j++)
            printf(" %d", sum * (j + 1));
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
