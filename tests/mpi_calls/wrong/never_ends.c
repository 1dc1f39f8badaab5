/* The time is up while the nodes communicate, or is it between two calls: each node's call is named. */
/* nodes: 2 */
/* options: --timeout 0.5 */
/* exit: 124 */
/* error: timeout: after 0.5 seconds */
/* error: NAME.c:LINE */
/* never: crash */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank, word = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;)
        MPI_Sendrecv_replace(&word, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
}
