/* nodes: 2 */
/* exit: 1 */
/* error: bad-request: main returned without MPI_Finalize on node 1, whose last call was MPI_Comm_rank (NAME.c:LINE) */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* HERE */
    if (rank == 1)
        return 0;
    MPI_Finalize();
    return 0;
}
