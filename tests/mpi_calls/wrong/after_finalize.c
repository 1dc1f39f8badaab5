/* nodes: 2 */
/* exit: 1 */
/* error: bad-request: MPI_Barrier of node 0: called after MPI_Finalize (NAME.c:LINE) */
#include <mpi.h>

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD); /* HERE */
    return 0;
}
