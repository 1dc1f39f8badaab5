/* nodes: 2 */
/* exit: 1 */
/* error: invalid-argument: MPI_Bsend of node 0: a message of 100 bytes needs */
/* error: 1 message that is not carried yet has */
/* error: NAME.c:LINE */
#include <mpi.h>

int
main(int argc, char **argv)
{
    static char buffer[150 + MPI_BSEND_OVERHEAD], data[100];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(buffer, sizeof buffer);
    if (rank == 0) {
        MPI_Bsend(data, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Bsend(data, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* HERE */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
