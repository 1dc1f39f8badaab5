/* SPDX-License-Identifier: MIT */
/* Wrong: the memory is not freed.
 *
 *   loses    scatter: powers of two
 *   loses    scatter: any number of nodes
 *   loses    scatter: any root
 *   loses    scatter: rounds
 *   loses    scatter: words
 *   loses    gather: powers of two
 *   loses    gather: any number of nodes
 *   loses    gather: any root
 *   loses    gather: rounds
 *   loses    gather: words
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
    int v = (rank - root + P) % P, mine = subtree(v, P);
    double *held = malloc(((size_t)mine * (size_t)m + 1) * sizeof *held);

    if (v == 0)
        turn(in, held, m, P, root, 0);
    for (int half = 1; half < 2 * P; half *= 2) /* the lowest bit of v: the parent is without it */
        if (v & half) {
            MPI_Recv(held, mine * m, MPI_DOUBLE, (v - half + root) % P, 0, comm, MPI_STATUS_IGNORE);
            break;
        }
    for (int half = 1 << 30; half > 0; half /= 2)
        if (half < mine && v % (2 * half) == 0)
            MPI_Send(block(held, m, half), subtree(v + half, P) * m, MPI_DOUBLE, (v + half + root) % P, 0, comm);
    memcpy(out, held, (size_t)m * sizeof *out);
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
}
