/* SPDX-License-Identifier: MIT */
/* Wrong: the root of a scatter sends every node its block.
 *
 *   loses    scatter: rounds
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Block i of x, of m numbers. */
static double *
block(const double *x, int m, int i)
{
    return (double *)(size_t)x + (size_t)i * (size_t)m;
}

/* The nodes of the subtree of node v, of P: v + 1 up to the next power of two that divides v, or all. */
static int
subtree(int v, int P)
{
    int nodes = 1;

    while (v % (2 * nodes) == 0 && nodes < P)
        nodes *= 2;
    return v + nodes < P ? nodes : P - v;
}

/* Turn the blocks so that the root's is the first one, or back. */
static void
turn(const double *from, double *to, int m, int P, int root, int back)
{
    for (int i = 0; i < P; i++) {
        int v = (i - root + P) % P;

        memcpy(block(to, m, back ? i : v), block(from, m, back ? v : i), (size_t)m * sizeof *to);
    }
}

void
my_scatter(const double *in, int m, int root, double *out, MPI_Comm comm)
{
    int P, rank;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; rank == root && i < P; i++)
        if (i != root)
            MPI_Send(block(in, m, i), m, MPI_DOUBLE, i, 0, comm);
    if (rank == root)
        memcpy(out, block(in, m, root), (size_t)m * sizeof *out);
    else
        MPI_Recv(out, m, MPI_DOUBLE, root, 0, comm, MPI_STATUS_IGNORE);
}

void
my_gather(const double *in, int m, int root, double *out, MPI_Comm comm)
{
    int P, rank;

    MPI_Comm_size(comm, &P);
    MPI_Comm_rank(comm, &rank);
    int v = (rank - root + P) % P, mine = subtree(v, P);
    double *held = malloc(((size_t)mine * (size_t)m + 1) * sizeof *held);

    memcpy(held, in, (size_t)m * sizeof *in);
    for (int half = 1; half < P; half *= 2) {
        if (v & half) {
            MPI_Send(held, mine * m, MPI_DOUBLE, (v - half + root) % P, 0, comm);
            break;
        }
        if (v + half < P)
            MPI_Recv(block(held, m, half), subtree(v + half, P) * m, MPI_DOUBLE, (v + half + root) % P, 0, comm,
                     MPI_STATUS_IGNORE);
    }
    if (v == 0)
        turn(held, out, m, P, root, 1);
    free(held);
}
