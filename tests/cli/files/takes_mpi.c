/* SPDX-License-Identifier: MIT */
/* A ring for MPI whose -D options say what it does with some numbers of nodes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, size, got = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef ODD
    if (size % 2 == 1) {
        ODD;
    }
#endif
#ifdef THREE
    if (size % 3 == 0) /* nobody sends first */
        MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#ifdef ANY
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
#endif
    MPI_Finalize();
#ifdef LATE
    if (size == 3)
        return LATE;
#endif
    return 0;
}
