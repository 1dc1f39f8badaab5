/* nodes: 3 */
/* exit: 1 */
/* error: bad-rank: MPI_Send of node 0: dest 3 is out of range: ranks are 0 to 2, or MPI_PROC_NULL (NAME.c:LINE) */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int x = 0;

    MPI_Init(&argc, &argv);
    MPI_Send(&x, 1, MPI_INT, 3, 0, MPI_COMM_WORLD); /* HERE */
    MPI_Finalize();
    return 0;
}
