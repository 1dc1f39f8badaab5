/* SPDX-License-Identifier: MIT */
/* All-reduce with MPI: give every node n numbers and call my_allreduce; node 0 prints what all have then, a line for
 * each.
 *
 *   argv[1]   n
 *   argv[2]   "world", "halves" (the even and the odd ranks by themselves, in falling order), or "quiet" (nothing is
 *             printed)
 *   argv[3]   where the numbers begin, which my_allreduce does not know; 0 without it */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void my_allreduce(double *a, int n, MPI_Comm comm);

/* Number i of node `rank`: whole, so that sums are exact in any order. */
static double
driver_number(uint32_t seed, int rank, int i)
{
    uint32_t x = seed + (uint32_t)rank * 0x9E3779B1u + (uint32_t)i * 0x85EBCA77u;

    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    x = (x ^ x >> 12) * 0x297A2D39u;
    return (x ^ x >> 15) % 1000;
}

/* The sum of the numbers i of all nodes. */
static double
driver_sum(uint32_t seed, int size, int i)
{
    double sum = 0;

    for (int rank = 0; rank < size; rank++)
        sum += driver_number(seed, rank, i);
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
    uint32_t seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    double *a = malloc(((size_t)n + 1) * sizeof *a);
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, halves ? rank % 2 : 0, halves ? -rank : rank, &comm);
    for (int i = 0; i < n; i++)
        a[i] = driver_number(seed, rank, i);
    my_allreduce(a, n, comm);
    for (int i = 0; quiet && i < n; i++)
        if (a[i] != driver_sum(seed, size, i))
            MPI_Abort(MPI_COMM_WORLD, 1);
    if (!quiet)
        driver_print(a, n, rank, size);
    MPI_Comm_free(&comm);
    free(a);
    MPI_Finalize();
    return 0;
}
