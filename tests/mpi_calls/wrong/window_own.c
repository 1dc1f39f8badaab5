/* nodes: 3 */
/* compiler: --watch */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: remote-conflict: MPI_Put of node 0 and a store of node 1 access the same 4 bytes of node 1's window, and nothing orders them */
/* error: NAME.c:LINE2: note: node 1 */
/* error: rule   MPI 3.1, 11.3 and 11.7: while a place of a window is updated */
/* error: NAME.c:LINE3: finding: remote-conflict: MPI_Accumulate of node 0 and a load of node 1 access the same 4 bytes of node 1's window */
/* error: NAME.c:LINE4: note: node 1 */
/* error: rule   MPI 3.1, 11.3 and 11.7: what a load finds during an update, or a get */
/* error: NAME.c:LINE5: finding: remote-conflict: a store of node 1 and MPI_Get of node 2 access the same 8 bytes of node 1's window */
/* error: NAME.c:LINE6: finding: remote-conflict: MPI_Put of node 0 and a store of node 1 access the same 4 bytes of node 1's window */
/* error: NAME.c:LINE7: finding: remote-conflict: a load of node 1 and MPI_Put of node 2 access the same 4 bytes of node 1's window */
/* error: 5 findings at 5 lines */
/* also:  => 0 */
#include <mpi.h>
#include <string.h>

int
main(int argc, char **argv)
{
    int memory[16] = {0}, many[8] = {1, 2}, one = 1, rank, seen = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(many, 8, MPI_INT, 1, 0, 8, MPI_INT, win); /* HERE1 */
    if (rank == 1)
        memory[3] = 7; /* HERE2 */
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Accumulate(&one, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, win); /* HERE3 */
    if (rank == 1)
        seen += memory[5]; /* HERE4 */
    MPI_Win_fence(0, win);
    if (rank == 1)
        memset(&memory[8], 0, 8); /* HERE5 */
    if (rank == 2)
        MPI_Get(many, 8, MPI_INT, 1, 6, 8, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);

    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        MPI_Put(&one, 1, MPI_INT, 1, 12, 1, MPI_INT, win); /* HERE6 */
    if (rank == 1)
        memory[12] = 3; /* also of one element */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);

    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    memory[9] = 0; /* wrong, too, but left alone: windows are set up so */
    MPI_Win_lock_all(0, win);
    if (rank == 1)
        seen += memory[9]; /* HERE7 */
    if (rank == 2)
        MPI_Put(many, 8, MPI_INT, 1, 8, 8, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);

    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    memory[10] = 0; /* the same */
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    if (rank == 2)
        MPI_Put(many, 8, MPI_INT, 1, 8, 8, MPI_INT, win);
    MPI_Win_unlock(1, win);

    MPI_Win_free(&win);
    MPI_Finalize();
    return seen == 100;
}
