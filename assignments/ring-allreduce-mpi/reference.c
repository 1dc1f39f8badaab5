/* SPDX-License-Identifier: MIT */
/* What the driver prints when my_allreduce is right. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
    int rank, n = argc > 2 ? atoi(argv[1]) : 0;
    bool halves = argc > 2 && strcmp(argv[2], "halves") == 0;
    double *a = malloc(((size_t)n + 1) * sizeof *a);
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, halves ? rank % 2 : 0, 0, &comm);
    for (int i = 0; i < n; i++)
        a[i] = (double)random(); /* as the driver draws them */
    MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i++)
        printf("node%d:a[%d]=%.0f\n", rank, i, a[i]);
    MPI_Comm_free(&comm);
    free(a);
    MPI_Finalize();
    return 0;
}
