/* nodes: 2 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE4: finding: early-read: MPI_Send: node */
/* error: NAME.c:LINE2: note: node */
/* error: NAME.c:LINE6: finding: buffer-reuse: MPI_Wait of node *: the buffer of this MPI_Iallgather was changed before it was complete */
/* error: NAME.c:LINE5: note: node */
/* error: NAME.c:LINE8: finding: buffer-reuse: MPI_Wait of node *: the buffer of this MPI_Ireduce was changed before it was complete */
/* error: NAME.c:LINE10: finding: buffer-reuse: MPI_Win_fence of node *: the buffer of this MPI_Put was changed before it was complete */
/* error: NAME.c:LINE12: finding: early-read: MPI_Put: node */
/* error: sends from memory that MPI_Irecv receives into, which is not complete */
/* error: sends from memory that MPI_Get receives into, which is not complete */
/* error: 10 findings at 5 lines */
/* error: rule   MPI 3.1, 3.7.2, 5.12 and 11.3 */
/* also:  => 0 */
/* Both nodes are wrong: the finding names the first. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank, memory[4] = {0}, x[8] = {0}, all[2] = {0}, sum = 0;
    MPI_Request requests[2], request;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&x[0], 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&x[2], 4, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]); /* HERE2 */
    MPI_Send(&x[5], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);                /* HERE4 */
    MPI_Send(&x[6], 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request); /* HERE5 */
    all[1] = 7;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* HERE6 */
    x[0] = rank;
    MPI_Ireduce(x, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request);
    x[0] = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* HERE8 */

    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    x[0] = 9;
    MPI_Win_fence(0, win); /* HERE10 */
    MPI_Get(x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Put(x, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win); /* HERE12 */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
