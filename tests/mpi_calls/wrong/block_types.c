/* nodes: 4 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: type-mismatch: MPI_Gatherv: node 0 receives 8 bytes as MPI_INT, and node 2 sent them as MPI_FLOAT */
/* error: NAME.c:LINE2: note: node 2 */
/* error: NAME.c:LINE3: finding: type-mismatch: MPI_Scatterv: node 2 receives 8 bytes as MPI_FLOAT, and node 0 sent them as MPI_INT */
/* error: NAME.c:LINE4: finding: type-mismatch: MPI_Alltoallw: node 1 receives 4 bytes as MPI_FLOAT, and node 1 sent them as MPI_INT */
/* error: NAME.c:LINE5: finding: type-mismatch: MPI_Neighbor_alltoall: node 1 receives 4 bytes as MPI_INT, and node 2 sent them as MPI_FLOAT */
/* error: NAME.c:LINE6: finding: type-mismatch: MPI_Ineighbor_allgatherv: node 1 receives 4 bytes as MPI_INT, and node 2 sent them as MPI_FLOAT */
/* error: NAME.c:LINE7: finding: type-mismatch: MPI_Gatherv: node 0 receives 8 bytes as MPI_INT, and node 3 sent them as MPI_FLOAT */
/* error: NAME.c:LINE8: finding: type-mismatch: MPI_Alltoallv: node 2 receives 4 bytes as MPI_FLOAT, and node 1 sent them as MPI_INT */
/* error: at 7 lines */
/* error: rule   MPI 3.1, 3.3.1 and 5.1 */
/* also:  => 0 finding: type-mismatch: MPI_Alltoallw */
#include <mpi.h>

static int in[8], out[8], ones[] = {1, 1, 1, 1}, twos[] = {2, 2, 2, 2}, displs[] = {0, 2, 4, 6},
                          bytes[] = {0, 8, 16, 24};

/* Right: equal basic types in the same order by other datatypes, and no types. */
static void
right(int rank, MPI_Comm ring)
{
    MPI_Datatype pair, types[] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};

    MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Gatherv(in,
                rank == 1   ? 1
                : rank == 2 ? 8
                            : 2,
                rank == 1   ? pair
                : rank == 2 ? MPI_BYTE
                            : MPI_INT,
                out, twos, displs, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(in, twos, displs, MPI_INT, out, rank == 1 ? 1 : 2, rank == 1 ? pair : MPI_INT, 0, MPI_COMM_WORLD);
    types[rank] = rank == 0 ? MPI_FLOAT : MPI_INT; /* its own block */
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, out, ones, bytes, types, MPI_COMM_WORLD);
    MPI_Neighbor_alltoall(in, rank == 2 ? 4 : 1, rank == 2 ? MPI_BYTE : MPI_INT, out, 1, MPI_INT, ring);
    MPI_Type_free(&pair);
}

int
main(int argc, char **argv)
{
    int rank, size = 4, yes = 1;
    MPI_Datatype floats[] = {MPI_FLOAT, MPI_FLOAT, MPI_FLOAT, MPI_FLOAT},
                 ints[] = {MPI_FLOAT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Comm ring, half, both;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &yes, 0, &ring);
    right(rank, ring);
    MPI_Datatype own = rank == 2 ? MPI_FLOAT : MPI_INT;

    if (rank == 0)
        MPI_Gatherv(in, 2, own, out, twos, displs, MPI_INT, 0, MPI_COMM_WORLD); /* HERE1 */
    else
        MPI_Gatherv(in, 2, own, out, twos, displs, MPI_INT, 0, MPI_COMM_WORLD);                          /* HERE2 */
    MPI_Scatterv(in, twos, displs, MPI_INT, out, 2, own, 0, MPI_COMM_WORLD);                             /* HERE3 */
    MPI_Alltoallw(in, ones, bytes, rank == 1 ? ints : floats, out, ones, bytes, floats, MPI_COMM_WORLD); /* HERE4 */
    MPI_Neighbor_alltoall(in, 1, rank == 2 ? MPI_FLOAT : MPI_INT, out, 1, MPI_INT, ring);                /* HERE5 */
    MPI_Ineighbor_allgatherv(in, 1, own, out, ones, displs, MPI_INT, ring, &request);                    /* HERE6 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
    const int root = rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;

    own = rank == 3 ? MPI_FLOAT : MPI_INT;
    MPI_Gatherv(in, 2, own, out, twos, displs, MPI_INT, root, both); /* HERE7 */
    own = rank == 1 ? MPI_INT : MPI_FLOAT;
    MPI_Alltoallv(in, ones, displs, own, out, ones, displs, MPI_FLOAT, both); /* HERE8 */
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
