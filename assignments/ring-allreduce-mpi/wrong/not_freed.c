/* SPDX-License-Identifier: MIT */
/* Wrong: the communicator is copied and never freed.
 *
 *   loses    any n
 *   loses    the rules of MPI
 */
#include <mpi.h>
#include <stdlib.h>

/* Where part b, modulo P, begins: the first n mod P parts have one number more. */
static int
begin_of(int n, int P, int b)
{
    b = (b % P + P) % P;
    return b * (n / P) + (b < n % P ? b : n % P);
}

static int
count_of(int n, int P, int b)
{
    b = (b % P + P) % P;
    return n / P + (b < n % P);
}

void
my_allreduce(double *a, int n, MPI_Comm comm)
{
    int P, rank;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm own;

    MPI_Comm_dup(comm, &own);
    int left = (rank - 1 + P) % P, right = (rank + 1) % P;
    double *got = malloc(((size_t)(n / P) + 1) * sizeof *got);

    for (int t = 0; t < P - 1; t++) {
        int sent = rank - t, mine = rank - t - 1;
        double *to = a + begin_of(n, P, mine);

        MPI_Sendrecv(a + begin_of(n, P, sent), count_of(n, P, sent), MPI_DOUBLE, right, 0, got, count_of(n, P, mine),
                     MPI_DOUBLE, left, 0, own, MPI_STATUS_IGNORE);
        for (int i = 0; i < count_of(n, P, mine); i++)
            to[i] += got[i];
    }
    for (int t = 0; t < P - 1; t++) { /* now part rank + 1 is complete */
        int sent = rank + 1 - t, next = rank - t;

        MPI_Sendrecv(a + begin_of(n, P, sent), count_of(n, P, sent), MPI_DOUBLE, right, 1, a + begin_of(n, P, next),
                     count_of(n, P, next), MPI_DOUBLE, left, 1, own, MPI_STATUS_IGNORE);
    }
    free(got);
}
