/* SPDX-License-Identifier: MIT */
/* All-reduce round a ring, with MPI: complete my_allreduce. */
#include <mpi.h>

/* Add the n numbers of a of all nodes of the communicator, at all of them. */
void
my_allreduce(double *a, int n, MPI_Comm comm)
{
    int P, rank;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &rank);
    int left = (rank - 1 + P) % P, right = (rank + 1) % P;

    /* your turn: P - 1 rounds in which parts are added, P - 1 in which they are passed on */
    (void)left, (void)right, (void)a, (void)n;
}
