/* SPDX-License-Identifier: MIT */
/* The fault whose number is given, after calls that were right, of which the last are played: played.py. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 10, CALLS = 8, FAULTY = 6 };

static const double constants[WORDS * 64] = {1};

int
main(int argc, char **argv)
{
    int rank, size, fault = argc > 1 ? atoi(argv[1]) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *own = calloc((size_t)size * WORDS, sizeof *own), *all = calloc((size_t)size * WORDS, sizeof *all);
    double *read_only = (double *)(uintptr_t)constants;

    for (int call = 0; call < CALLS; call++) {
        int what = call == FAULTY && rank == 1 ? fault : 0;

        if (what == 1)
            abort();
        if (what == 2)
            *(volatile int *)4 = 1;
        if (what == 3)
            break;
        if (what == 4)
            MPI_Recv(own, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (what == 5)
            MPI_Bcast(own, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Allreduce(what == 6 ? (double *)24 : own,
                      what == 7   ? read_only
                      : what == 8 ? (double *)16
                                  : all,
                      what == 9 ? WORDS - 1 : WORDS, what == 10 ? MPI_LONG : MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(own, WORDS, MPI_DOUBLE, what == 11 ? read_only : all, WORDS, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Bcast(what == 12 ? read_only : own, WORDS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (what == 13)
            exit(3);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("%d: %g\n", rank, all[0]);
    free(own);
    free(all);
    MPI_Finalize();
    return 0;
}
