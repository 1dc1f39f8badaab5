/* nodes: 3 */
/* compiler: --watch */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE3: finding: remote-conflict: a load of node 0 and MPI_Put of node 1 access the same 4 bytes of node 0's window, and nothing orders them */
/* error: NAME.c:LINE1: note: node 1 */
/* error: NAME.c:LINE4: finding: remote-conflict: a load of node 0 and MPI_Put of node 2 access the same 4 bytes */
/* error: NAME.c:LINE2: note: node 2 */
/* error: NAME.c:LINE5: finding: remote-conflict: a load of node 0 and MPI_Put of node 2 access the same 4 bytes */
/* error: 3 findings at 3 lines */
/* output: 11 12 */
/* also:  => 0 */
/* MPI_Win_sync does not complete what others have put, and who looks once does not poll. */
#include <mpi.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
    int *memory, rank, mine, token = 0, sum = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < 4; i++)
        memory[i] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    mine = 10 + rank;
    if (rank == 1)
        MPI_Put(&mine, 1, MPI_INT, 0, 1, 1, MPI_INT, win); /* HERE1 */
    if (rank == 2)
        MPI_Put(&mine, 1, MPI_INT, 0, 2, 1, MPI_INT, win); /* HERE2 */
    if (rank > 0)
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < 3 && rank == 0; i++)
        MPI_Recv(&token, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Win_sync(win);
        printf("%d ", memory[1]);  /* HERE3 */
        printf("%d\n", memory[2]); /* HERE4 */
        MPI_Win_sync(win);
        for (int i = 2; i < 4; i++)
            sum += memory[i]; /* HERE5 */
        MPI_Send(&sum, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
