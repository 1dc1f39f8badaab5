/* SPDX-License-Identifier: MIT */
/* STEPS steps of a five-point stencil on a square of POINTS points a side, in strips of rows: what watched programs do
 * most.
 *
 *   mpi_stencil POINTS STEPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 1;
    double sum = 0, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rows = n / size, up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    double *old = calloc((size_t)(rows + 2) * (size_t)n, sizeof *old);
    double *new = calloc((size_t)(rows + 2) * (size_t)n, sizeof *new);

    for (int j = 0; j < n; j++)
        old[j] = new[j] = 1;
    for (int step = 0; step < steps; step++) {
        double *last = old + rows * n, *swap = old;

        MPI_Sendrecv(old + n, n, MPI_DOUBLE, up, 0, last + n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(last, n, MPI_DOUBLE, down, 0, old, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j < n - 1; j++)
                new[i * n + j] =
                    0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j] + old[i * n + j - 1] + old[i * n + j + 1]);
        old = new;
        new = swap;
    }
    for (int i = n; i < (rows + 1) * n; i++)
        sum += old[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.12g\n", all);
    free(old);
    free(new);
    MPI_Finalize();
    return 0;
}
