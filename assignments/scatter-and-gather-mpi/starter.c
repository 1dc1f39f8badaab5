/* SPDX-License-Identifier: MIT */
/* Scatter and gather with MPI: complete both. */
#include <mpi.h>

/* Give node i block i of the root's P blocks of m numbers. */
void
my_scatter(const double *in, int m, int root, double *out, MPI_Comm comm)
{
    int P, rank;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &rank);

    /* your turn: the root's own block, and the blocks of the others */
    (void)in, (void)m, (void)root, (void)out, (void)rank, (void)P;
}

/* Collect the blocks of all nodes at the root. */
void
my_gather(const double *in, int m, int root, double *out, MPI_Comm comm)
{
    int P, rank;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &rank);

    /* your turn */
    (void)in, (void)m, (void)root, (void)out, (void)rank, (void)P;
}
