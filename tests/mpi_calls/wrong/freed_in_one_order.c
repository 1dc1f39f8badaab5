/* A block that node 0 frees twice when what node 2 sent comes first. */
/* nodes: 3 */ /* not with a sanitizer */
/* exit: 0 */
/* also: --choices 2 => 1 crash: node 0 crashed: abort */
/* also: --explore => 1 crash: node 0 crashed: abort (in 1 of 2 orders; others are right) */
#include <mpi.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, first, *other = malloc(24);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (first == 2)
            free(other);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    free(other);
    MPI_Finalize();
    return 0;
}
