/* SPDX-License-Identifier: MIT */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static double *rows[2];
    double mine;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; i++)
        rows[i] = calloc(1, sizeof(double));
    MPI_Scatter(rows[0], 1, MPI_DOUBLE, &mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        free(rows[i]);
    MPI_Finalize();
    return 0;
}
