/* SPDX-License-Identifier: MIT */
/* Wrong: node 0 receives all vectors and sends the sum: as many rounds, whole vectors.
 *
 *   loses    bytes on a ring
 */
#include <mpi.h>
#include <stdlib.h>

void
my_allreduce(double *a, int n, MPI_Comm comm)
{
    int P, rank;
    double *got = malloc(((size_t)n + 1) * sizeof *got);

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &rank);
    if (rank > 0) {
        MPI_Send(a, n, MPI_DOUBLE, 0, 0, comm);
        MPI_Recv(a, n, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    }
    for (int from = 1; rank == 0 && from < P; from++) {
        MPI_Recv(got, n, MPI_DOUBLE, from, 0, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            a[i] += got[i];
    }
    for (int to = 1; rank == 0 && to < P; to++)
        MPI_Send(a, n, MPI_DOUBLE, to, 1, comm);
    free(got);
}
