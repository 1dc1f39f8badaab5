/* nodes: 5 */
/* exit: 0 */
/* output: sum 10 */
/* also: --coll allreduce=ring,broadcast=chain:16 => 0 */
/* also: --coll broadcast=nosuch => 2 --coll: broadcast has no algorithm 'nosuch' */
/* also: --coll broadcast => 2 --coll: expected COLLECTIVE=ALGORITHM */
/* also: --coll bcast=ring => 2 --coll: unknown collective 'bcast' */
/* also: --coll allgather=pair => 0 note: --coll allgather=pair does not fit a call */
/* Algorithms that are named, and names that are wrong. */
#include <mpi.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
    int rank, sum, all[5];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++)
        if (all[i] != i)
            return 7;
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
