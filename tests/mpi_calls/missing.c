/* SPDX-License-Identifier: MIT */
/* missing.c NAME SKIP AFTER: node SKIP leaves out the collective NAME.  AFTER: 0, then all finalize; 1, they call
 * another collective; 2, the same one again; 3, it is a loop that ends earlier on that node. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int in[8], out[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static MPI_Datatype types[8];
static MPI_Comm world = MPI_COMM_WORLD, ring;

/* The collective in both forms: "Name", "Iname". */
#define BOTH(low, name, ...)                                                                                           \
    do {                                                                                                               \
        if (strcmp(called, "I" #low) == 0) {                                                                           \
            MPI_I##low(__VA_ARGS__, &request);                                                                         \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                     \
        } else if (strcmp(called, #name) == 0) {                                                                       \
            MPI_##name(__VA_ARGS__);                                                                                   \
        }                                                                                                              \
    } while (0)

static void
call(const char *called)
{
    MPI_Request request;

    BOTH(barrier, Barrier, world);
    BOTH(bcast, Bcast, in, 1, MPI_INT, 0, world);
    BOTH(scatter, Scatter, in, 1, MPI_INT, out, 1, MPI_INT, 0, world);
    BOTH(scatterv, Scatterv, in, ones, places, MPI_INT, out, 1, MPI_INT, 0, world);
    BOTH(gather, Gather, in, 1, MPI_INT, out, 1, MPI_INT, 0, world);
    BOTH(gatherv, Gatherv, in, 1, MPI_INT, out, ones, places, MPI_INT, 0, world);
    BOTH(allgather, Allgather, in, 1, MPI_INT, out, 1, MPI_INT, world);
    BOTH(allgatherv, Allgatherv, in, 1, MPI_INT, out, ones, places, MPI_INT, world);
    BOTH(reduce, Reduce, in, out, 1, MPI_INT, MPI_SUM, 0, world);
    BOTH(allreduce, Allreduce, in, out, 1, MPI_INT, MPI_SUM, world);
    BOTH(reduce_scatter, Reduce_scatter, in, out, ones, MPI_INT, MPI_SUM, world);
    BOTH(reduce_scatter_block, Reduce_scatter_block, in, out, 1, MPI_INT, MPI_SUM, world);
    BOTH(alltoall, Alltoall, in, 1, MPI_INT, out, 1, MPI_INT, world);
    BOTH(alltoallv, Alltoallv, in, ones, places, MPI_INT, out, ones, places, MPI_INT, world);
    BOTH(alltoallw, Alltoallw, in, ones, places, types, out, ones, places, types, world);
    BOTH(scan, Scan, in, out, 1, MPI_INT, MPI_SUM, world);
    BOTH(exscan, Exscan, in, out, 1, MPI_INT, MPI_SUM, world);
    BOTH(neighbor_allgather, Neighbor_allgather, in, 1, MPI_INT, out, 1, MPI_INT, ring);
    BOTH(neighbor_alltoall, Neighbor_alltoall, in, 1, MPI_INT, out, 1, MPI_INT, ring);
}

/* Those that make objects. */
static void
make(const char *called)
{
    MPI_Comm made;
    MPI_Group group;
    MPI_Win win;

    MPI_Comm_group(world, &group);
    if (strcmp(called, "Comm_split") == 0)
        MPI_Comm_split(world, 0, 0, &made);
    if (strcmp(called, "Comm_dup") == 0)
        MPI_Comm_dup(world, &made);
    if (strcmp(called, "Comm_create") == 0)
        MPI_Comm_create(world, group, &made);
    if (strcmp(called, "Comm_create_group") == 0)
        MPI_Comm_create_group(world, group, 0, &made);
    if (strcmp(called, "Win_create") == 0)
        MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, world, &win);
    MPI_Group_free(&group);
}

int
main(int argc, char **argv)
{
    int rank, size, periodic = 1, skip = argc > 2 ? atoi(argv[2]) : 0, after = argc > 3 ? atoi(argv[3]) : 0;
    const char *called = argc > 1 ? argv[1] : "Barrier";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    for (int i = 0; i < 8; i++)
        types[i] = MPI_INT;
    if (strstr(called, "eighbor"))
        MPI_Cart_create(world, 1, &size, &periodic, 0, &ring);
    for (int i = 0; i < (after == 3 ? 3 : 1) - (rank == skip); i++) {
        call(called);
        make(called);
    }
    if (after == 1)
        strcmp(called, "Barrier") == 0 ? MPI_Bcast(in, 1, MPI_INT, 0, world) : MPI_Barrier(world);
    if (after == 2)
        call(called);
    MPI_Finalize();
    return 0;
}
