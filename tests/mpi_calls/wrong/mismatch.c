/* nodes: 2 */
/* exit: 1 */
/* error: collective-mismatch: */
/* error: NAME.c:LINE */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int x = 0, y = 0, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD); /* HERE */
    else
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
