/* SPDX-License-Identifier: MIT */
/* nodes: 4 */
/* exit: 1 */
/* error: deadlock: nothing can move: node 1 waits in MPI_Finalize for node 2 (astray.c: */
/* also: -- communicator => 1 node 1 waits in MPI_Recv to receive 4 bytes from node 0 (astray.c: */
/* also: -- collective => 1 node 1 waits in MPI_Recv to receive 4 bytes from node 0 (astray.c: */
/* also: -- taken => 1 node 0 waits in MPI_Recv to receive 4 bytes from node 1 (astray.c: */
/* also: -- forgotten => 1 node 0 waits in MPI_Recv to receive 4 bytes from node 1 (astray.c: */
/* A receive whose message goes elsewhere, comes from elsewhere, comes by a collective, or is not sent. */
#include <mpi.h>
#include <string.h>

static int rank, size, x;

static void
from_the_left(void)
{
    for (int i = 1; i < size && rank == 0; i++)
        MPI_Send(&x, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(&x, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
in_another_communicator(void)
{
    MPI_Comm half;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, half); /* node 2 */
    else if (rank == 1)
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
}

static void
by_a_collective(void)
{
    if (rank == 0)
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
taken_before(void)
{
    if (rank == 1 || rank == 2)
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int source = MPI_ANY_SOURCE; rank == 0 && source != 2; source = source == 1 ? 2 : 1)
        MPI_Recv(&x, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Node 2 would receive what node 1 has sent, after node 0's. */
static void
forgotten(void)
{
    if (rank == 1)
        MPI_Send(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    for (int source = 0; rank == 2 && source < 2; source++)
        MPI_Recv(&x, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "source";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "source") == 0)
        from_the_left();
    else if (strcmp(how, "communicator") == 0)
        in_another_communicator();
    else if (strcmp(how, "collective") == 0)
        by_a_collective();
    else if (strcmp(how, "forgotten") == 0)
        forgotten();
    else
        taken_before();
    MPI_Finalize();
    return 0;
}
