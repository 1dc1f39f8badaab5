/* nodes: 2 */
/* exit: 0 */
/* error: NAME.c:LINE1: finding: lost-request: MPI_Isend: node 1 comes to MPI_Finalize and has not waited for this request; its buffer was a local variable, whose scope has ended */
/* error: NAME.c:LINE2: finding: lost-request: MPI_Isend: node 1 comes to MPI_Finalize and has not waited for this request */
#include <mpi.h>

static int kept = 7;

__attribute__((noinline)) static void
send_a_local(MPI_Request *request)
{
    int words[2] = {5, 6};

    MPI_Isend(words, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, request); /* HERE1 */
}

int
main(int argc, char **argv)
{
    int rank, words[2];
    MPI_Request first, second;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        send_a_local(&first);
        MPI_Isend(&kept, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &second); /* HERE2 */
    } else {
        MPI_Recv(words, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(words, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
