/* SPDX-License-Identifier: MIT */
/* What the driver prints when my_allreduce is right. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in the driver. */
static double
reference_number(uint32_t seed, int rank, int i)
{
    uint32_t x = seed + (uint32_t)rank * 0x9E3779B1u + (uint32_t)i * 0x85EBCA77u;

    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    x = (x ^ x >> 12) * 0x297A2D39u;
    return (x ^ x >> 15) % 1000;
}

int
main(int argc, char **argv)
{
    int rank, size, n = argc > 2 ? atoi(argv[1]) : 0, step = argc > 2 && strcmp(argv[2], "halves") == 0 ? 2 : 1;
    uint32_t seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; rank == 0 && i < size; i++) {
        printf("node %d:", i);
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int k = step == 2 ? i % 2 : 0; k < size; k += step)
                sum += reference_number(seed, k, j);
            printf(" %.0f", sum);
        }
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
