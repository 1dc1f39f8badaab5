/* nodes: 4 */
/* exit: 7 */
/* error: (NAME.c:LINE) */
/* error: MPI_Abort with code 7 (NAME.c:LINE) */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MPI_Abort(MPI_COMM_WORLD, 7); /* HERE */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
