/* nodes: 2 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE2: finding: epoch: MPI_Win_fence of node *: it ends an epoch that the fence before it opened, and within that epoch MPI_Win_lock opened another */
/* error: NAME.c:LINE1: note: node 0 */
/* never: findings at */
/* also:  => 0 */
#include <mpi.h>

/* The assertions of fences say that they open no epoch, except the first time. */
int
main(int argc, char **argv)
{
    int memory = 0, x = 1, rank;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); /* HERE1 */
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    }
    MPI_Win_fence(0, win); /* HERE2 */
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Win_unlock(rank, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_unlock(rank, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
