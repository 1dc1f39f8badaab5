/* nodes: 2 */
/* options: --strict */
/* exit: 0 */
/* error: NAME.c:LINE: note: buffer-reuse: MPI_Irecv: node */
/* error: NAME.c:LINE2: note: lost-request: MPI_Request_free: node */
/* error: NAME.c:LINE3: note: order-dependent: MPI_Wait of node *: the message of this MPI_Irecv was not cancelled */
/* never: finding */
/* also:  => 0 */
/* Receives that nobody can learn enough of: two into one buffer, one that is freed, and one that was cancelled. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank, other, in[4], kept, out[2] = {1, 2};
    MPI_Request requests[2], request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Irecv(in, 2, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + 1, 2, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]); /* HERE */
    MPI_Send(out, 2, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Irecv(in, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
    MPI_Send(out, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* HERE3 */

    MPI_Irecv(&kept, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request); /* HERE2 */
    MPI_Send(out, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
