/* nodes: 3 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: remote-conflict: MPI_Put of node 0 and MPI_Get of node 2 access the same 4 bytes of node 1's window, and nothing orders them */
/* error: NAME.c:LINE2: note: node 2 */
/* error: NAME.c:LINE3: finding: remote-conflict: MPI_Put of node 0 and MPI_Put of node 0 access the same 8 bytes of node 1's window */
/* error: NAME.c:LINE4: note: node 0 */
/* error: NAME.c:LINE5: finding: remote-conflict: MPI_Accumulate of node 0 and MPI_Accumulate of node 2 access the same 4 bytes of node 1's window */
/* error: NAME.c:LINE6: finding: remote-conflict: MPI_Put of node 0 and MPI_Get of node 1 with its buffer access the same 4 bytes of node 1's window */
/* error: 4 findings at 4 lines */
/* error: rule   MPI 3.1, 11.3 and 11.7 */
/* never: buffer-reuse */
/* also:  => 0 */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int memory[8] = {0}, two[2] = {1, 2}, three[2] = {3, 4}, seen = 0, rank;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        MPI_Put(two, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* HERE1 */
    if (rank == 2)
        MPI_Get(&seen, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /* HERE2 */
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Put(two, 2, MPI_INT, 1, 0, 2, MPI_INT, win);   /* HERE3 */
        MPI_Put(three, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /* HERE4 */
    }
    MPI_Win_fence(0, win);
    if (rank != 1)
        MPI_Accumulate(two, 1, MPI_INT, 1, 3, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, win); /* HERE5 */
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(two, 1, MPI_INT, 1, 5, 1, MPI_INT, win); /* HERE6 */
    if (rank == 1)
        MPI_Get(&memory[5], 1, MPI_INT, 2, 6, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
