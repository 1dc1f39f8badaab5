/* SPDX-License-Identifier: MIT */
/* Work that is divided, work that is not, and a broadcast: scaled [N] [NODES THAT IT REFUSES] [NODES THAT DEADLOCK]. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, size;
    long long n = argc > 1 ? atoll(argv[1]) : 1000000;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2 && size == atoi(argv[2])) {
        if (rank == 0)
            fprintf(stderr, "scaled: the number of nodes is not %s\n", argv[2]);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (argc > 3 && size == atoi(argv[3]))
        MPI_Recv(&n, 1, MPI_LONG_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PEAL_COMPUTE(50000);
    MPI_Bcast(&n, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    PEAL_COMPUTE(n / size);
    printf("this is not shown\n");
    MPI_Finalize();
    return 0;
}
