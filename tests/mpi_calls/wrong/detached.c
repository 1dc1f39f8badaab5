/* nodes: 2 */
/* exit: 1 */
/* error: unmatched-message: node 0 sent 4 bytes with tag 7 to node 1, which never received the message */
/* error: NAME.c:LINE */
/* never: livelock */
/* A buffered message that nobody receives, whose buffer is detached. */
#include <mpi.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, x = 1, bytes = 1000;
    void *buffer = malloc((size_t)bytes);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(buffer, bytes);
    if (rank == 0)
        MPI_Bsend(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD); /* HERE */
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    MPI_Finalize();
    return 0;
}
