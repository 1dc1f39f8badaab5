/* nodes: 3 */
/* exit: 1 */
/* error: collective-mismatch: */
/* error: NAME.c:LINE */
/* error: node 0 calls MPI_Ibcast */
#include <mpi.h>

int
main(int argc, char **argv)
{
    MPI_Request request;
    int x = 0, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &request); /* HERE */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
