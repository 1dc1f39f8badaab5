/* nodes: 3 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: invalid-argument: MPI_Allreduce of node *: sendbuf and recvbuf overlap */
/* error: NAME.c:LINE2: finding: invalid-argument: MPI_Iallgather of node *: sendbuf and recvbuf overlap */
/* error: NAME.c:LINE3: finding: invalid-argument: MPI_Alltoallv of node *: sendbuf and recvbuf overlap */
/* error: NAME.c:LINE4: finding: invalid-argument: MPI_Scan of node *: sendbuf and recvbuf overlap */
/* error: NAME.c:LINE5: finding: invalid-argument: MPI_Gatherv of node *: the blocks of ranks 0 and 2 overlap in recvbuf */
/* error: NAME.c:LINE6: finding: collective-mismatch: MPI_Gatherv: node 0 expects a block of 8 bytes from node 1, which sends 4 */
/* error: NAME.c:LINE7: finding: collective-mismatch: MPI_Scatterv: node 2 expects a block of 8 bytes from node 0, which sends 4 */
/* error: NAME.c:LINE8: finding: collective-mismatch: MPI_Alltoallw: node 1 expects a block of 8 bytes from node 0, which sends 0 */
/* error: NAME.c:LINE11: finding: invalid-argument: MPI_Alltoallv of node *: the blocks of ranks 0 and 1 overlap in recvbuf */
/* error: NAME.c:LINE12: finding: invalid-argument: MPI_Ialltoallv of node *: the blocks of ranks 1 and 2 overlap in recvbuf */
/* error: NAME.c:LINE13: finding: invalid-argument: MPI_Alltoallw of node *: the blocks of ranks 0 and 2 overlap in recvbuf */
/* error: NAME.c:LINE14: finding: invalid-argument: MPI_Ialltoallw of node *: the blocks of ranks 0 and 1 overlap in recvbuf */
/* error: NAME.c:LINE15: finding: invalid-argument: MPI_Neighbor_alltoallv of node *: the blocks of neighbours 0 and 1 overlap */
/* error: NAME.c:LINE16: finding: invalid-argument: MPI_Ineighbor_alltoallw of node *: the blocks of neighbours 0 and 1 overlap */
/* error: NAME.c:LINE17: finding: invalid-argument: MPI_Neighbor_allgatherv of node *: the blocks of neighbours 0 and 1 overlap */
/* error: NAME.c:LINE18: finding: invalid-argument: MPI_Allgather of node *: the blocks of ranks 0 and 1 overlap in recvbuf */
/* error: 38 findings at 16 lines */
/* error: rule   MPI 3.1, 2.8 and 8.3 */
/* also:  => 0 3 findings at 3 lines */
/* also: -- refused => 0 */
/* Buffers and blocks of one call that overlap, and blocks that are shorter than their receivers expect. */
#include <mpi.h>

enum { NODES = 3 };

static MPI_Comm ring, alone; /* without neighbours */
static int rank, in[16], out[16], ones[] = {1, 1, 1}, twos[] = {2, 2, 2}, displs[] = {0, 2, 4}, bytes[] = {0, 8, 16};

/* Blocks beside each other, in the gaps of each other, of no data, and in place. */
static void
right(void)
{
    int none[NODES] = {0}, beside[] = {4, 2, 0}, apart[] = {0, 1, 2}, zeros[] = {0, 0, 0};
    MPI_Datatype gaps, each;

    MPI_Allgather(in, 2, MPI_INT, in + 2, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Gatherv(in, 2, MPI_INT, out, twos, beside, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(in, 0, MPI_INT, out, none, zeros, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(in, in, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(in, rank == 0 ? out : in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Type_vector(2, 1, NODES, MPI_INT, &gaps);
    MPI_Type_create_resized(gaps, 0, sizeof(int), &each);
    MPI_Type_commit(&each);
    MPI_Allgatherv(in, 2, MPI_INT, out, ones, apart, each, MPI_COMM_WORLD);
    MPI_Scatterv(in, twos, zeros, MPI_INT, out, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(in, ones, apart, MPI_INT, out, ones, beside, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(in, twos, bytes, (MPI_Datatype[]){MPI_INT, MPI_INT, MPI_INT}, out, ones, (int[]){0, 4, 8},
                  (MPI_Datatype[]){each, each, each}, MPI_COMM_WORLD);
    MPI_Neighbor_alltoallv(in, ones, apart, MPI_INT, out, ones, apart, MPI_INT, ring);
    MPI_Neighbor_alltoallv(in, ones, apart, MPI_INT, out, ones, zeros, MPI_INT, alone);
    MPI_Type_free(&each);
    MPI_Type_free(&gaps);
}

/* Blocks that are received into the same memory, or into the gaps of each other and beyond. */
static void
received_twice(void)
{
    const MPI_Datatype ints[] = {MPI_INT, MPI_INT, MPI_INT};
    const MPI_Aint near[] = {0, 4};
    const int late[] = {0, 4, 5}, close[] = {0, 8, 12};
    MPI_Datatype gaps, each, spread[NODES];
    MPI_Request request;

    MPI_Type_vector(2, 1, NODES, MPI_INT, &gaps);
    MPI_Type_create_resized(gaps, 0, 0, &each);
    MPI_Type_commit(&gaps);
    MPI_Type_commit(&each);
    spread[0] = spread[1] = spread[2] = gaps;
    MPI_Alltoallv(in, twos, displs, MPI_INT, out, twos, (int[]){0, 1, 3}, MPI_INT, MPI_COMM_WORLD); /* HERE11 */
    MPI_Ialltoallv(in, twos, displs, MPI_INT, out, twos, late, MPI_INT, MPI_COMM_WORLD, &request);  /* HERE12 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoallw(in, twos, bytes, ints, out, ones, close, spread, MPI_COMM_WORLD);                     /* HERE13 */
    MPI_Ialltoallw(in, ones, bytes, ints, out, ones, (int[]){0, 2, 8}, ints, MPI_COMM_WORLD, &request); /* HERE14 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Neighbor_alltoallv(in, twos, displs, MPI_INT, out, twos, (int[]){1, 0}, MPI_INT, ring); /* HERE15 */
    MPI_Ineighbor_alltoallw(in, twos, near, ints, out, twos, near, ints, ring, &request);       /* HERE16 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Neighbor_allgatherv(in, 2, MPI_INT, out, twos, (int[]){1, 0}, MPI_INT, ring); /* HERE17 */
    MPI_Allgather(in, 2, MPI_INT, out, 1, each, MPI_COMM_WORLD);                      /* HERE18 */
    MPI_Type_free(&each);
    MPI_Type_free(&gaps);
}

static void
overlapping(void)
{
    int twice[] = {0, 2, 1};
    MPI_Request request;

    MPI_Allreduce(in, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* HERE1 */
    if (rank == 1)
        MPI_Iallgather(in + 1, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request); /* HERE2 */
    else
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoallv(in, twos, displs, MPI_INT, in + 5, twos, (int[]){0, 2, 5}, MPI_INT, MPI_COMM_WORLD);     /* HERE3 */
    MPI_Scan(in, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                                                 /* HERE4 */
    MPI_Gatherv(in, rank == 1 ? 1 : 2, MPI_INT, out, (int[]){2, 1, 2}, twice, MPI_INT, 0, MPI_COMM_WORLD); /* HERE5 */
}

/* Where an algorithm needs separate buffers, they are an error in all runs. */
static void
refused(void)
{
    int errors[3], class;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    errors[0] = MPI_Alltoall(in, 2, MPI_INT, in + 5, 2, MPI_INT, MPI_COMM_WORLD);
    errors[1] = MPI_Allgather(in + 1, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
    errors[2] = MPI_Reduce_scatter(in, in, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    for (int i = 0; i < 3; i++) {
        MPI_Error_class(errors[i], &class);
        if (class != MPI_ERR_BUFFER)
            MPI_Abort(MPI_COMM_WORLD, 10 + i);
    }
}

static void
short_blocks(void)
{
    const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
    const int counts[] = {2, rank == 0 ? 0 : 2, 2};

    MPI_Gatherv(in, rank == 1 ? 1 : 2, MPI_INT, out, twos, displs, MPI_INT, 0, MPI_COMM_WORLD); /* HERE6 */
    MPI_Scatterv(in, (int[]){2, 2, 1}, displs, MPI_INT, out, 2, MPI_INT, 0, MPI_COMM_WORLD);    /* HERE7 */
    MPI_Alltoallw(in, counts, bytes, types, out, twos, bytes, types, MPI_COMM_WORLD);           /* HERE8 */
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) {
        refused();
    } else {
        MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){NODES}, (int[]){1}, 0, &ring);
        MPI_Cart_create(MPI_COMM_SELF, 1, (int[]){1}, (int[]){0}, 0, &alone);
        right();
        received_twice();
        overlapping();
        short_blocks();
        MPI_Comm_free(&alone);
        MPI_Comm_free(&ring);
    }
    MPI_Finalize();
    return 0;
}
