/* Messages and collectives whose calls are named where costs are shown: see costs.py. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
    int rank, size, x[100] = {0}, y[10];
    double mine, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        MPI_Send(x, 100, MPI_INT, 1, 5, MPI_COMM_WORLD); /* SEND */
    else if (rank == 1)
        MPI_Recv(x, 100, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* RECV */
    mine = rank;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* SUM */
    MPI_Bcast(x, 100, MPI_INT, 0, MPI_COMM_WORLD);                      /* BCAST */
    if (argc > 1 && strcmp(argv[1], "stuck") == 0 && rank == 2)
        MPI_Recv(y, 10, MPI_INT, 3, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* STUCK */
    if (argc > 1 && strcmp(argv[1], "mismatch") == 0 && rank == 2)
        MPI_Allreduce(x, y, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (argc > 1 && strcmp(argv[1], "mismatch") == 0)
        MPI_Allreduce(x, y, 6, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize(); /* FINALIZE */
    return 0;
}
