/* SPDX-License-Identifier: MIT */
/* nodes: 3 */
/* exit: 0 */
/* error: NAME.c:LINE: finding: deadlock-if-unbuffered: nothing can move unless messages are buffered: node 1 waits in MPI_Send */
/* never: node 0 */
/* also: --strict => 1 deadlock-if-unbuffered: */
/* also: -- receive => 1 deadlock: whatever polls, these wait for ever: node 1 waits in MPI_Recv to receive 4 bytes */
/* also: --livelock-after 500 -- nothing => 1 nodes that test or rest: node 0 polls in MPI_Iprobe (polls.c:29) */
/* Two nodes that wait for each other, while node 0 polls for what one of them does later. */
#include <mpi.h>
#include <string.h>

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "send";
    int rank, x = 0, flag = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0 && strcmp(how, "nothing") != 0) {
        if (strcmp(how, "send") == 0)
            MPI_Send(&x, 1, MPI_INT, 3 - rank, 0, MPI_COMM_WORLD); /* HERE */
        MPI_Recv(&x, 1, MPI_INT, 3 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, strcmp(how, "send") == 0 ? 0 : 3 - rank, 0, MPI_COMM_WORLD);
    }
    for (int i = 1; rank == 0 && i < 3; i++) {
        for (flag = 0; !flag;)
            MPI_Iprobe(i, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
