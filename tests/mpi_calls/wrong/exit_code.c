/* nodes: 5 */
/* exit: 3 */
/* output: node 4 was here */
#include <mpi.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    printf("node %d was here\n", rank);
    return rank > 2 ? rank : 0;
}
