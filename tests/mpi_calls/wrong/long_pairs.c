/* nodes: 2 */
/* options: --strict */
/* exit: 0 */
/* error: NAME.c:LINE: note: type-mismatch: MPI_Send of node *: MPI_LONG_INT, whose elements are a long and an int, is moved here */
/* error: NAME.c:LINE2: note: type-mismatch: MPI_Bcast of node *: MPI_SHORT_INT, whose elements are a short and an int, is moved */
/* never: finding */
/* also:  => 0 */
/* MPI_LONG_INT is not the type long int. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    long wide[8] = {0};
    short narrow[8] = {0};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(wide, 4, MPI_LONG_INT, 1, 0, MPI_COMM_WORLD); /* HERE */
    else
        MPI_Recv(wide, 4, MPI_LONG_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(narrow, 2, MPI_SHORT_INT, 0, MPI_COMM_WORLD); /* HERE2 */
    MPI_Finalize();
    return 0;
}
