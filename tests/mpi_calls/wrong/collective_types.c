/* nodes: 3 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: type-mismatch: MPI_Bcast: the data of the 1st collective of MPI_COMM_WORLD are MPI_FLOAT on node 1, and MPI_INT on node 0 */
/* error: NAME.c:LINE2: note: node 0 */
/* error: NAME.c:LINE3: finding: type-mismatch: MPI_Allreduce */
/* error: NAME.c:LINE4: finding: type-mismatch: MPI_Gather */
/* error: NAME.c:LINE5: finding: type-mismatch: MPI_Iscatter */
/* error: NAME.c:LINE6: finding: type-mismatch: MPI_Allgatherv */
/* error: NAME.c:LINE7: finding: type-mismatch: MPI_Ialltoallv */
/* error: NAME.c:LINE8: finding: type-mismatch: MPI_Reduce_scatter */
/* error: NAME.c:LINE9: finding: type-mismatch: MPI_Allgather of node *: it sends itself 4 bytes of MPI_FLOAT and receives them as MPI_INT */
/* error: 8 findings at 8 lines */
/* error: rule   MPI 3.1, 3.3.1 and 5.1 */
/* also:  => 0 finding: type-mismatch: MPI_Ialltoallv */
#include <mpi.h>

static int ones[] = {1, 1, 1}, displs[] = {0, 1, 2};

/* Right: equal basic types in the same order, and no types. */
static void
right(int rank)
{
    int apart[8] = {0}, four[4] = {0}, some[] = {rank == 0, 0, 0}, from_zero[] = {1, 0, 0};
    MPI_Datatype vector;

    MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    if (rank == 0)
        MPI_Bcast(apart, 1, vector, 0, MPI_COMM_WORLD);
    else if (rank == 1)
        MPI_Bcast(four, 4, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(four, 16, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(four, 0, rank == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD);
    /* node 0 sends itself one integer; no other node has anything */
    MPI_Alltoallv(four, some, displs, rank == 0 ? MPI_INT : MPI_FLOAT, apart, rank == 0 ? from_zero : some, displs,
                  rank == 0 ? MPI_INT : MPI_FLOAT, MPI_COMM_WORLD);
    MPI_Type_free(&vector);
}

int
main(int argc, char **argv)
{
    int rank, in[3] = {0}, out[3] = {0};
    MPI_Datatype type;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD); /* HERE2 */
    else
        MPI_Bcast(in, 1, MPI_FLOAT, 0, MPI_COMM_WORLD); /* HERE1 */
    right(rank);
    type = rank == 1 ? MPI_FLOAT : MPI_INT;
    in[0] = in[1] = in[2] = 0;
    MPI_Allreduce(in, out, 1, type, MPI_SUM, MPI_COMM_WORLD);                                        /* HERE3 */
    MPI_Gather(in, 1, type, out, 1, type, 2, MPI_COMM_WORLD);                                        /* HERE4 */
    MPI_Iscatter(in, 1, type, rank == 1 ? MPI_IN_PLACE : out, 1, type, 1, MPI_COMM_WORLD, &request); /* HERE5 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allgatherv(in, 1, type, out, ones, displs, type, MPI_COMM_WORLD);                      /* HERE6 */
    MPI_Ialltoallv(in, ones, displs, type, out, ones, displs, type, MPI_COMM_WORLD, &request); /* HERE7 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Reduce_scatter(in, out, ones, type, MPI_MAX, MPI_COMM_WORLD);                       /* HERE8 */
    MPI_Allgather(in, 1, rank == 2 ? MPI_FLOAT : MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD); /* HERE9 */
    MPI_Finalize();
    return 0;
}
