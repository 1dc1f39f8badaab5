/* nodes: 1 2 4 6 9 */
/* SPDX-License-Identifier: MIT */
/* Collectives over neighbours, blocking and not, on grids and on graphs with parallel edges. */
#include "check.h"

enum { MAX = 8 };

/* The message of node `from` over its out-edge number `edge`. */
static int
value(int from, int edge)
{
    return 1000 * from + edge;
}

/* All ten on one communicator; from[i] and edge[i]: whose out-edge in-edge i is, -1 none. */
static void
check_all(MPI_Comm comm, int out, int in, const int *from, const int *edge)
{
    int send[2 * MAX], receive[5][2 * MAX], counts[MAX], displs[MAX];
    MPI_Aint places[MAX];
    MPI_Datatype types[MAX];
    MPI_Request r[5];

    for (int i = 0; i < MAX; i++) {
        counts[i] = 1;
        displs[i] = 2 * i;
        places[i] = 2 * i * (MPI_Aint)sizeof(int);
        types[i] = MPI_INT;
    }
    for (int blocking = 0; blocking < 2; blocking++) {
        memset(receive, -1, sizeof receive);
        for (int i = 0; i < out; i++)
            send[2 * i] = value(rank, i), send[2 * i + 1] = -7;
        if (blocking) {
            MPI_Neighbor_allgather(&rank, 1, MPI_INT, receive[0], 1, MPI_INT, comm);
            MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, receive[1], counts, displs, MPI_INT, comm);
            MPI_Neighbor_alltoall(send, 2, MPI_INT, receive[2], 2, MPI_INT, comm);
            MPI_Neighbor_alltoallv(send, counts, displs, MPI_INT, receive[3], counts, displs, MPI_INT, comm);
            MPI_Neighbor_alltoallw(send, counts, places, types, receive[4], counts, places, types, comm);
        } else {
            MPI_Ineighbor_allgather(&rank, 1, MPI_INT, receive[0], 1, MPI_INT, comm, &r[0]);
            MPI_Ineighbor_allgatherv(&rank, 1, MPI_INT, receive[1], counts, displs, MPI_INT, comm, &r[1]);
            MPI_Ineighbor_alltoall(send, 2, MPI_INT, receive[2], 2, MPI_INT, comm, &r[2]);
            MPI_Ineighbor_alltoallv(send, counts, displs, MPI_INT, receive[3], counts, displs, MPI_INT, comm, &r[3]);
            MPI_Ineighbor_alltoallw(send, counts, places, types, receive[4], counts, places, types, comm, &r[4]);
            MPI_Barrier(comm);
            MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < in; i++) {
            int all = from[i] < 0 ? -1 : from[i], own = from[i] < 0 ? -1 : value(from[i], edge[i]);

            CHECK(receive[0][i] == all && receive[1][2 * i] == all && receive[1][2 * i + 1] == -1);
            CHECK(receive[2][2 * i] == own && receive[2][2 * i + 1] == (own < 0 ? -1 : -7));
            CHECK(receive[3][2 * i] == own && receive[4][2 * i] == own && receive[4][2 * i + 1] == -1);
        }
    }
}

/* A grid, whose dimensions of 2 and 1 have the same neighbour on both sides. */
static void
grid(int dimensions, int periodic)
{
    MPI_Comm comm;
    int extents[3] = {0}, periods[3] = {periodic, periodic, periodic}, from[6], edge[6];

    MPI_Dims_create(size, dimensions, extents);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, extents, periods, 0, &comm);
    for (int i = 0; i < dimensions; i++) {
        MPI_Cart_shift(comm, i, 1, &from[2 * i], &from[2 * i + 1]);
        edge[2 * i] = 2 * i + 1;
        edge[2 * i + 1] = 2 * i;
    }
    for (int i = 0; i < 2 * dimensions; i++)
        from[i] = from[i] == MPI_PROC_NULL ? -1 : from[i];
    check_all(comm, 2 * dimensions, 2 * dimensions, from, edge);
    MPI_Comm_free(&comm);
}

/* Each sends twice to the next node and once to itself. */
static void
distributed(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int sources[3] = {before, rank, before}, destinations[3] = {next, rank, next};
    int from[3] = {before, rank, before}, edge[3] = {0, 1, 2};
    MPI_Comm comm;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, destinations, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    if (size > 1)
        check_all(comm, 3, 3, from, edge);
    MPI_Comm_free(&comm);
}

/* A ring, undirected. */
static void
ring(void)
{
    int index[16], edges[32], from[2] = {(rank + size - 1) % size, (rank + 1) % size}, edge[2] = {1, 0};
    MPI_Comm comm;

    if (size < 3)
        return;
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
    check_all(comm, 2, 2, from, edge);
    MPI_Comm_free(&comm);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        grid(dimensions, 0);
        grid(dimensions, 1);
    }
    distributed();
    ring();
    MPI_Finalize();
    if (rank == 0)
        printf("neighbourhoods of %d\n", size);
    return 0;
}
