/* nodes: 2 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: lost-request: MPI_Isend: node 0 comes to MPI_Finalize and has not waited for this request */
/* error: rule   MPI 3.1, 8.7 and 3.7.3 */
/* never: node 1 */
/* also:  => 0 finding: lost-request */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank, word = 5;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* HERE1 */
        MPI_Isend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
