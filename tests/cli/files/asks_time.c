/* SPDX-License-Identifier: MIT */
/* Asks for the time as often as the first argument says; with a second one it polls for ever then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    double begun, now = 0;
    MPI_Request request;
    int got, done = argc < 3;

    MPI_Init(&argc, &argv);
    begun = MPI_Wtime();
    for (int i = 1; i < atoi(argv[1]); i++)
        now = MPI_Wtime();
    printf("%s\n", now >= begun || atoi(argv[1]) < 2 ? "on" : "back");
    if (!done)
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
