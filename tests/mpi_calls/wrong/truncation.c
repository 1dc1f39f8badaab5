/* nodes: 2 */
/* exit: 1 */
/* error: truncation: */
/* error: NAME.c:LINE */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int x[4] = {0}, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(x, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    MPI_Finalize();
    return 0;
}
