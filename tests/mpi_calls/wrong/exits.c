/* nodes: 2 */
/* exit: 3 */
/* error: crash: node 1 aborted: exit with code 3 before MPI_Finalize (NAME.c:LINE) */
/* A node that ends the program by itself: the line is that of its exit. */
#include <mpi.h>
#include <stdlib.h>

static void
leave(int code)
{
    exit(code); /* HERE */
}

int
main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        leave(3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
