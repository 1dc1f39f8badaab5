/* A thread that the program has created is not a node: it calls MPI, or crashes. */
/* nodes: 3 */
/* exit: 1 */
/* error: bad-request: MPI_Barrier was called by a thread of node 1: only the thread that runs main may call MPI (NAME.c:LINE) */
/* also: -- crash => 1 crash: a thread of node 1 crashed: segmentation fault at address 0x8 (thread_calls.c: */
/* compiler: -pthread */
#include <mpi.h>
#include <pthread.h>

static int rank, crashes;
static int *volatile nowhere = (int *)8;

static void *
other(void *arg)
{
    if (crashes)
        *nowhere = 1;
    MPI_Barrier(MPI_COMM_WORLD); /* HERE */
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_t thread;

    crashes = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && pthread_create(&thread, NULL, other, NULL) == 0)
        pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
