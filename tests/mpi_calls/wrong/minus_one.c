/* nodes: 3 */
/* exit: 1 */
/* error: bad-rank: MPI_Recv of node *: source -1 is out of range: ranks are 0 to 2, MPI_ANY_SOURCE or MPI_PROC_NULL (NAME.c:LINE) */
/* also: -- tag => 1 invalid-argument: MPI_Recv of node 0: tag -1 is out of range: expected 0 or more, or MPI_ANY_TAG */
/* also: -- send => 1 bad-rank: MPI_Send of node 0: dest -1 is out of range: ranks are 0 to 2, or MPI_PROC_NULL */
/* The left neighbour of node 0 is (rank - 1 + size) % size: without the sum it is -1, and no node. */
#include <mpi.h>
#include <string.h>

int
main(int argc, char **argv)
{
    int rank, size, token = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "tag") == 0)
        MPI_Recv(&token, 1, MPI_INT, (rank + 1) % size, (rank - 1) % size, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (argc > 1 && rank == 0)
        MPI_Send(&token, 1, MPI_INT, (rank - 1) % size, 0, MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, (rank - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&token, 1, MPI_INT, (rank - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
    MPI_Finalize();
    return 0;
}
