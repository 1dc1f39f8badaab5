/* SPDX-License-Identifier: MIT */
/* nodes: 3 */
/* exit: 1 */
/* error: collective-mismatch: collectives of 3 communicators wait for one another: node 0 calls MPI_Barrier of A (NAME.c:LINE) before that of C, */
/* error: node 1 calls MPI_Barrier of B (NAME.c:LINE) before that of A, node 2 calls MPI_Barrier of C (NAME.c:LINE) before that of B; */
/* error: A: a communicator of 2 nodes made by MPI_Comm_split at NAME.c:LINE2, of nodes 0 and 1; */
/* error: C: a communicator of 2 nodes made by MPI_Comm_split at NAME.c:LINE2, of nodes 0 and 2 */
/* also: -n 7 => 1 (group_cycles.c:40) before that of C, and so on up to G; */
/* also: -- alike => 1 A: a communicator of 3 nodes made by MPI_Comm_dup at group_cycles.c:53, the 1st there, of nodes 0, 1 and 2; B: */
/* also: -- wait => 1 node 0 calls MPI_Wait for its MPI_Ibarrier of A (group_cycles.c:69) before that of B, node 2 calls MPI_Comm_dup of B */
/* also: -n 4 -- grid => 1 collectives of 4 communicators wait for one another */
/* also: -- right => 0 */
/* also: -n 6 -- right => 0 */
/* Nodes that call the collectives of several communicators in other orders. */
#include <mpi.h>
#include <string.h>

static int rank, size;

/* A communicator of each node and the next one. */
static void
neighbours(const char *how)
{
    MPI_Comm made, left = MPI_COMM_NULL, right = MPI_COMM_NULL;

    for (int i = 0; i < size; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank == i || rank == (i + 1) % size ? 0 : MPI_UNDEFINED, 0, &made); /* HERE2 */
        if (rank == i)
            right = made;
        if (rank == (i + 1) % size)
            left = made;
    }
    if (strcmp(how, "right") == 0 && rank == 0)
        MPI_Barrier(right);
    if (strcmp(how, "right") == 0) {
        MPI_Barrier(left);
        if (rank > 0)
            MPI_Barrier(right);
    } else {
        MPI_Barrier(right); /* HERE */
        MPI_Barrier(left);
    }
    MPI_Comm_free(&left);
    MPI_Comm_free(&right);
}

static void
alike(void)
{
    MPI_Comm made[3];

    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(made[rank == 1 ? 2 - i : i]);
}

/* A barrier that is begun before another communicator is made, or after it. */
static void
wait_first(void)
{
    MPI_Comm even, made;
    MPI_Request request;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &even);
    if (rank == 2)
        MPI_Comm_dup(even, &made);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Comm_dup(even, &made);
}

/* Rows and columns of two nodes. */
static void
grid(void)
{
    MPI_Comm lines[2];

    for (int i = 0; i < 2; i++)
        MPI_Comm_split(MPI_COMM_WORLD, i == 0 ? rank / 2 : rank % 2, 0, &lines[i]);
    for (int i = 0; i < 2; i++)
        MPI_Barrier(lines[rank == 0 || rank == 3 ? i : 1 - i]);
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "wrong";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "alike") == 0)
        alike();
    else if (strcmp(how, "wait") == 0)
        wait_first();
    else if (strcmp(how, "grid") == 0)
        grid();
    else
        neighbours(how);
    MPI_Finalize();
    return 0;
}
