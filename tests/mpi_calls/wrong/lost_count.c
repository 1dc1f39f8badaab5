/* nodes: 3 */
/* options: --strict */
/* exit: 0 */
/* error: NAME.c:LINE: note: remote-conflict: MPI_Put: node */
/* error: too, has got, changed and put meanwhile: one of the two changes is lost */
/* error: fix    MPI 3.1, 11.3.4: a get and a put are two accesses */
/* never: finding */
/* also:  => 0 */
/* A counter that each node gets, increments and puts back: each access has an exclusive lock, the three none. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int count = 0, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    count++;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /* HERE */
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
