/* nodes: 2 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: buffer-reuse: MPI_Wait of node *: the buffer of this MPI_Isend was changed before it was complete */
/* error: NAME.c:LINE2: note: node 0 */
/* error: NAME.c:LINE3: finding: buffer-reuse: MPI_Waitall of node *: the buffer of this MPI_Irecv was changed before it was complete */
/* error: 2 findings at 2 lines */
/* error: rule   MPI 3.1, 3.7.2 */
/* output: got 7 8 -1 9 */
/* also:  => 0  */
#include <mpi.h>
#include <stdio.h>

/* Two buffers are changed too early.  The gaps of a type are the program's, and a freed receive still
 * completes. */
int
main(int argc, char **argv)
{
    int rank, words[3] = {7, -1, 8}, late = 9, got = 0;
    MPI_Datatype gaps;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    if (rank == 0) {
        MPI_Isend(&late, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]); /* HERE2 */
        late = 10;
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* HERE1 */
        MPI_Isend(words, 1, gaps, 1, 1, MPI_COMM_WORLD, &requests[0]);
        words[1] = 3;
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        late = 9;
        MPI_Send(&late, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Send(&late, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        words[0] = words[2] = 0;
        MPI_Irecv(&late, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(words, 1, gaps, 0, 1, MPI_COMM_WORLD, &requests[1]);
        late = 0;
        words[1] = -1;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* HERE3 */
        MPI_Irecv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Request_free(&requests[0]);
        MPI_Recv(&late, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_size(MPI_INT, &late);
        printf("got %d %d %d %d\n", words[0], words[2], words[1], got);
    }
    MPI_Type_free(&gaps);
    MPI_Finalize();
    return 0;
}
