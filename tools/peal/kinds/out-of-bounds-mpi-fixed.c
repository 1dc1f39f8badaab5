/* SPDX-License-Identifier: MIT */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double *rows, mine;

    MPI_Init(&argc, &argv);
    rows = calloc(2, sizeof *rows);
    MPI_Scatter(rows, 1, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(rows);
    MPI_Finalize();
    return 0;
}
