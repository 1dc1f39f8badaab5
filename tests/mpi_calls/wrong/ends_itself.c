/* A node sends its process a signal that ends it. */
/* nodes: 3 */
/* exit: 1 */
/* error: crash: node 1 crashed: signal 15 (Terminated) (NAME.c:LINE) */
/* also: -- 1 => 1 crash: node 1 crashed: signal 1 (Hangup) */
/* also: --engine fibers -- 2 => 1 crash: node 1 crashed: signal 2 (Interrupt) */
/* also: --timeout 0.2 -- 19 => 124 timeout: after 0.2 seconds */
/* also: --timeout 0.2 --engine fibers -- 19 => 124 timeout: after 0.2 seconds */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, number = argc > 1 ? atoi(argv[1]) : SIGTERM;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        raise(number); /* HERE */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
