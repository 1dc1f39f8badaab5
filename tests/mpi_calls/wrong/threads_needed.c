/* nodes: 2 */
/* exit: 1 */
/* error: unsupported: node 0 asks for MPI_THREAD_MULTIPLE, gets MPI_THREAD_FUNNELED, and calls MPI_Abort: threads that call MPI themselves are not supported (NAME.c:LINE) */
/* never: crash */
/* A program that does not do without MPI_THREAD_MULTIPLE. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 7); /* HERE */
    MPI_Finalize();
    return 0;
}
