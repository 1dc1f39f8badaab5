/* nodes: 2 */
/* exit: 1 */
/* error: unsupported: node 0 asks for MPI_THREAD_MULTIPLE, gets MPI_THREAD_FUNNELED, and waits in MPI_Recv, and nothing else moves: threads that call MPI themselves are not supported (NAME.c:LINE) */
/* never: deadlock */
/* compiler: -pthread */
/* A thread of each node would send later: that nothing moves is not the program's fault. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank;

static void *
other(void *arg)
{
    pause();
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_t thread;
    int provided, from;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, other, NULL);
    MPI_Recv(&from, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
