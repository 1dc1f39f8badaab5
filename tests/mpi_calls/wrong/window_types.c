/* nodes: 2 */
/* exit: 0 */
/* error: NAME.c:LINE1: finding: type-mismatch: MPI_Put of node *: the origin has 4 bytes of MPI_FLOAT, the target of MPI_INT */
/* error: NAME.c:LINE2: finding: type-mismatch: MPI_Get of node *: the origin has 8 bytes of several basic types, the target of MPI_INT */
/* error: NAME.c:LINE3: finding: type-mismatch: MPI_Rget_accumulate of node *: the result has 4 bytes of MPI_FLOAT, the target of MPI_INT */
/* error: findings at 3 lines */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int memory[8] = {0}, x[4] = {0}, rank;
    float f[2] = {0};
    MPI_Datatype pair, both;
    MPI_Win win;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_INT, MPI_FLOAT}, &both);
    MPI_Type_commit(&both);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(x, 2, MPI_INT, 0, 2 * rank, 1, pair, win); /* right: the same basic types, bytes, nothing */
    MPI_Put(x, 4, MPI_BYTE, 0, 4 + rank, 1, MPI_INT, win);
    MPI_Put(f, 0, MPI_FLOAT, 0, 0, 0, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Put(f, 1, MPI_FLOAT, 0, rank, 1, MPI_INT, win); /* HERE1 */
    MPI_Get(x, 1, both, 0, 4, 1, pair, win);            /* HERE2 */
    MPI_Win_flush(0, win);
    MPI_Rget_accumulate(x, 1, MPI_INT, f, 1, MPI_FLOAT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request); /* HERE3 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Type_free(&both);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
