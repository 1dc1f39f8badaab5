/* nodes: 2 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE: finding: epoch: MPI_Put: node 0 updates the window of node 1, which has asserted MPI_MODE_NOPUT in */
/* error: NAME.c:LINE2: note: node 1 */
/* error: NAME.c:LINE3: finding: epoch: MPI_Accumulate: node 1 updates the window of node 0, which has asserted MPI_MODE_N */
/* error: NAME.c:LINE4: finding: epoch: MPI_Put: node 0 updates the window of node 1, which has asserted MPI_MODE_NOPUT in */
/* error: rule   MPI 3.1, 11.5.5: MPI_MODE_NOPUT */
/* error: 3 findings at 3 lines */
/* also:  => 0 */
/* Updates of windows whose nodes have asserted that there are none. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank, x = 7, *memory;
    MPI_Win win;
    MPI_Group all, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(rank == 1 ? MPI_MODE_NOPUT : 0, win); /* HERE2 */
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* HERE */
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, win);
    if (rank == 1)
        MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /* HERE3 */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){1 - rank}, &other);
    if (rank == 1) {
        MPI_Win_post(other, MPI_MODE_NOPUT, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(other, 0, win);
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* HERE4 */
        MPI_Win_complete(win);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
