/* SPDX-License-Identifier: MIT */
/* Collectives of the world, of rows at the same time, and messages between: for other algorithms in a recorded run. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    double in[60] = {0}, out[60];
    int rank, size, row_rank;
    MPI_Comm row;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &row);
    MPI_Comm_rank(row, &row_rank);
    for (int i = 0; i < 3; i++) {
        MPI_Allreduce(in, out, 60, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(out, 60, MPI_DOUBLE, (rank + 1) % size, 0, in, 60, MPI_DOUBLE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(in, out, 12, MPI_DOUBLE, MPI_SUM, row);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        MPI_Bcast(in, 60, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(in, 60, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
