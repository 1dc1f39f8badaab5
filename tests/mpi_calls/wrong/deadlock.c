/* nodes: 3 */
/* exit: 1 */
/* error: deadlock: */
/* error: NAME.c:LINE */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int x = 0, rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    MPI_Send(&x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
