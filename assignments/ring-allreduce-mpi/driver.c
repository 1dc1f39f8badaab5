/* SPDX-License-Identifier: MIT */
/* All-reduce with MPI: give every node n numbers and call my_allreduce; every node prints what it has then.
 *
 *   argv[1]   n
 *   argv[2]   "world", or "halves": the even and the odd ranks by themselves, in falling order */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void my_allreduce(double *a, int n, MPI_Comm comm);

int
main(int argc, char **argv)
{
    int rank, n = argc > 2 ? atoi(argv[1]) : 0;
    bool halves = argc > 2 && strcmp(argv[2], "halves") == 0;
    double *a = malloc(((size_t)n + 1) * sizeof *a);
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, halves ? rank % 2 : 0, halves ? -rank : rank, &comm);
    for (int i = 0; i < n; i++)
        a[i] = (double)random(); /* whole, so that sums are exact in any order */
    my_allreduce(a, n, comm);
    for (int i = 0; i < n; i++)
        printf("node%d:a[%d]=%.0f\n", rank, i, a[i]);
    MPI_Comm_free(&comm);
    free(a);
    MPI_Finalize();
    return 0;
}
