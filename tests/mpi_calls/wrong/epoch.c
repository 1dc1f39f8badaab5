/* nodes: 2 */
/* exit: 1 */
/* error: epoch: MPI_Put of node 0: called outside of an epoch: expected one of MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all (NAME.c:LINE) */
/* also: -- range => 1 out-of-bounds: MPI_Put of node 0: the put is out of range: bytes 4 to 7, the window of rank 1 has bytes 0 to 3 (epoch.c:24) */
/* also: -- open => 1 epoch: MPI_Win_free of node 0: the epoch that MPI_Win_lock (epoch.c:27) opened is not closed (epoch.c:28) */
/* also: -- finalize => 1 epoch: MPI_Finalize of node 0: the epoch that MPI_Win_fence (epoch.c:30) opened on a window is not closed (epoch.c:45) */
/* also: -- wait => 1 deadlock: nothing can move: node 0 waits in MPI_Win_wait to receive 0 bytes with tag 1 from node 1 (epoch.c:34, posted at epoch.c:33); node 1 waits in MPI_Finalize for node 0 (epoch.c:45) */
/* also: -- post => 1 deadlock: nothing can move: node 0 waits in MPI_Win_start to receive 0 bytes from node 1 (epoch.c:36) */
/* also: -- locks => 1 node 0 waits in MPI_Win_lock to get the lock of node 1, which node 1 has had since epoch.c:39 (epoch.c:41); node 1 waits in MPI_Win_lock to get the lock of node 0 */
/* SPDX-License-Identifier: MIT */
/* Accesses outside of epochs, or of the window; epochs that are not closed, or never open. */
#include <mpi.h>
#include <string.h>

static void
wrong(const char *what, MPI_Group other, int rank, MPI_Win *win)
{
    int x = 1;

    if (strcmp(what, "put") == 0)
        MPI_Put(&x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, *win); /* HERE */
    MPI_Win_fence(0, *win);
    if (strcmp(what, "range") == 0 && rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 1, 1, MPI_INT, *win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, *win);
    if (strcmp(what, "open") == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, *win);
        MPI_Win_free(win);
    } else if (strcmp(what, "finalize") == 0) {
        MPI_Win_fence(0, *win);
        MPI_Put(&x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, *win);
    } else if (strcmp(what, "wait") == 0 && rank == 0) {
        MPI_Win_post(other, 0, *win);
        MPI_Win_wait(*win);
    } else if (strcmp(what, "post") == 0) {
        MPI_Win_start(other, 0, *win);
        MPI_Win_post(other, 0, *win);
    } else if (strcmp(what, "locks") == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, *win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, *win);
        MPI_Put(&x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, *win);
    }
    if (*win != MPI_WIN_NULL)
        MPI_Finalize();
}

int
main(int argc, char **argv)
{
    int memory = 0, rank, other;
    MPI_Group world, group;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    other = 1 - rank;
    MPI_Group_incl(world, 1, &other, &group);
    wrong(argc > 1 ? argv[1] : "put", group, rank, &win);
    return 0;
}
