/* SPDX-License-Identifier: MIT */
/* All-reduce with MPI: give every node n numbers and call my_allreduce; node 0 prints what all have then, a line for
 * each.
 *
 *   argv[1]   n
 *   argv[2]   "world", "halves" (the even and the odd ranks by themselves, in falling order), or "quiet" (nothing is
 *             printed) */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void my_allreduce(double *a, int n, MPI_Comm comm);

/* Sum of rank + 1 of those nodes that reduce together with this one. */
static int
driver_sum(int rank, int size, int step)
{
    int sum = 0;

    for (int i = step == 2 ? rank % 2 : 0; i < size; i += step)
        sum += i + 1;
    return sum;
}

static void
driver_print(const double *a, int n, int rank, int size)
{
    double *all = malloc(((size_t)n * (size_t)size + 1) * sizeof *all);

    MPI_Gather(a, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++) {
        printf("node %d:", i);
        for (int j = 0; j < n; j++)
            printf(" %.0f", all[i * n + j]);
        printf("\n");
    }
    free(all);
}

int
main(int argc, char **argv)
{
    int rank, size, n = argc > 2 ? atoi(argv[1]) : 0;
    bool halves = argc > 2 && strcmp(argv[2], "halves") == 0, quiet = argc > 2 && strcmp(argv[2], "quiet") == 0;
    double *a = malloc(((size_t)n + 1) * sizeof *a);
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, halves ? rank % 2 : 0, halves ? -rank : rank, &comm);
    for (int i = 0; i < n; i++)
        a[i] = (rank + 1) * (i + 1);
    my_allreduce(a, n, comm);
    for (int i = 0; quiet && i < n; i++)
        if (a[i] != driver_sum(rank, size, 1) * (i + 1))
            MPI_Abort(MPI_COMM_WORLD, 1);
    if (!quiet)
        driver_print(a, n, rank, size);
    MPI_Comm_free(&comm);
    free(a);
    MPI_Finalize();
    return 0;
}
