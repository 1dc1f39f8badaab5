/* nodes: 2 */
/* exit: 0 */
/* error: NAME.c:LINE: finding: invalid-argument: MPI_Sendrecv: 4 of the 8 bytes that node */
/* error: NAME.c:LINE2: finding: invalid-argument: MPI_Isendrecv: 8 of the 8 bytes that node */
/* error: NAME.c:LINE3: finding: invalid-argument: MPI_Sendrecv: 4 of the 8 bytes that node */
/* error: rule   MPI 3.1, 3.10: the send buffer and the receive buffer of one call are */
/* error: 6 findings at 3 lines */
/* never: note: invalid-argument */
/* output: 0 11 12 */
/* output: 12 13 */
/* output: 14 11 */
/* also: --strict => 1 note: invalid-argument: MPI_Sendrecv: recvbuf of node */
/* also: --strict => 1 the 8 bytes that arrived do not reach it */
/* also: --strict -- spare => 0 note: invalid-argument: MPI_Isendrecv: recvbuf of node */
/* also: -- spare => 0 */
/* A call that receives into the memory that it sends from: what is sent is what was there, and the run goes on.  Room
 * of the receive that no data come to is a note of strict runs. */
#include <mpi.h>
#include <stdio.h>

static int rank, other, x[8];
static MPI_Request request;

static void
fill(void)
{
    for (int i = 0; i < 8; i++)
        x[i] = 10 * rank + i;
}

static void
overlapping(void)
{
    MPI_Datatype gaps;

    fill();
    MPI_Sendrecv(x + 1, 2, MPI_INT, other, 0, x, 4, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    if (rank == 0)
        printf("0 %d %d\n", x[0], x[1]);
    fill();
    MPI_Isendrecv(x + 2, 2, MPI_INT, other, 0, x + 2, 2, MPI_INT, other, 0, MPI_COMM_WORLD, &request); /* HERE2 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%d %d\n", x[2], x[3]);
    fill();
    MPI_Type_vector(2, 1, 3, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Sendrecv(x + 1, 1, gaps, other, 0, x + 3, 2, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE3 */
    if (rank == 0)
        printf("%d %d\n", x[4], x[3]);
    MPI_Type_free(&gaps);
}

/* Rows that are shifted by one: the receive has room for all rows and gets those that are beside the send's. */
static void
spare(void)
{
    MPI_Datatype gaps;

    fill();
    MPI_Sendrecv(x + 2, 2, MPI_INT, other, 0, x, 4, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isendrecv(x + 2, 2, MPI_INT, other, 0, x, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* beside each other, in the gaps of each other, and with nobody: no note */
    MPI_Sendrecv(x + 2, 2, MPI_INT, other, 0, x, 2, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Sendrecv(x, 1, gaps, other, 0, x + 1, 1, gaps, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(x, 2, MPI_INT, MPI_PROC_NULL, 0, x, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&gaps);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    if (argc == 1)
        overlapping();
    spare();
    MPI_Finalize();
    return 0;
}
