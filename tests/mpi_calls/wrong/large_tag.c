/* nodes: 2 */
/* options: --strict */
/* exit: 0 */
/* error: NAME.c:LINE: note: invalid-argument: MPI_Send of node *: tag 524547 is above 32767: some libraries do not have it */
/* error: fix    MPI 3.1, 3.2.3 and 8.1.2: tags go up to the value of MPI_TAG_UB, */
/* never: finding */
/* also:  => 0 */
/* also: --strict --json=/dev/stderr => 0 "note": true */
/* The number of a grid point as a tag. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    double x = 0;
    int rank, point = 524547;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&x, 1, MPI_DOUBLE, 1, point, MPI_COMM_WORLD); /* HERE */
    else
        MPI_Recv(&x, 1, MPI_DOUBLE, 0, point, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
