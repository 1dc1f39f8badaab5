/* nodes: 2 */
/* compiler: --watch */ /* compiler: -w */
/* exit: 0 */
/* not with a sanitizer */
/* also: -- last => 0 */
/* also: --explore -- sum => 0 */
/* also: --explore -- ticket => 0 */
/* also: --explore -- added => 0 */
/* SPDX-License-Identifier: MIT */
/* Results that depend on which node a lock, an atomic update or an accumulate serves first; an argument names one, and
 * "sum", "ticket" or "added" what does not depend on it. */
#include <mpi.h>
#include <string.h>

static int me, np;
static int *cell;
static MPI_Win win;

/* All put into rank 0's word under its lock; with `sums` they add to it.  Gives the word. */
static int
put_in_turn(int sums)
{
    int one = me + 1, got;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    if (sums)
        one += got;
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    return got;
}

/* The number that a node draws from rank 0's word. */
static int
draw(void)
{
    int one = 1, got;

    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    return got;
}

/* Each node fills its word under its own lock, and reads the next one's, which may not be filled yet. */
static int
read_early(void)
{
    int got;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
    cell[1] = 1;
    MPI_Win_unlock(me, win);
    MPI_Win_lock(MPI_LOCK_SHARED, (me + 1) % np, 0, win);
    MPI_Get(&got, 1, MPI_INT, (me + 1) % np, 1, 1, MPI_INT, win);
    MPI_Win_unlock((me + 1) % np, win);
    return got;
}

/* What all combine into rank 0's first element, which was 0. */
static void
combine(const void *own, MPI_Datatype type, MPI_Op op)
{
    if (me == 0)
        memset(cell, 0, 2 * sizeof *cell);
    MPI_Win_fence(0, win);
    MPI_Accumulate(own, 1, type, 0, 0, 1, type, op, win);
    MPI_Win_fence(0, win);
}

/* The last one's rank is rank 0's, or their number, or a sum that depends on what is rounded first. */
static int
accumulate(const char *which)
{
    double part = me == 1 ? 1 : me == 0 ? 1e16 : me == 2 ? -1e16 : 0, sum;
    int one = 1;

    if (strcmp(which, "replaced") == 0)
        combine(&me, MPI_INT, MPI_REPLACE);
    else if (strcmp(which, "added") == 0)
        combine(&one, MPI_INT, MPI_SUM);
    else
        combine(&part, MPI_DOUBLE, MPI_SUM);
    memcpy(&sum, cell, sizeof sum);
    if (me > 0)
        return 1;
    return strcmp(which, "added") == 0 ? cell[0] == np : strcmp(which, "replaced") == 0 ? cell[0] == np - 1 : sum < 1;
}

/* Node 0 reads what the others may have added already. */
static int
read_between(void)
{
    int one = 1, got = 0;

    MPI_Win_lock_all(0, win);
    if (me > 0)
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    else
        MPI_Get_accumulate(NULL, 0, MPI_INT, &got, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    return got;
}

int
main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int right = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    MPI_Win_allocate(2 * sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, MPI_MODE_NOCHECK, win);
    cell[0] = 0;
    MPI_Win_unlock(me, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(which, "last") == 0)
        right = put_in_turn(0) == np;
    else if (strcmp(which, "sum") == 0)
        right = put_in_turn(1) == np * (np + 1) / 2;
    else if (strcmp(which, "first") == 0)
        right = draw() == 0 || me > 0;
    else if (strcmp(which, "ticket") == 0)
        right = draw() < np;
    else if (strcmp(which, "early") == 0)
        right = read_early() >= 0;
    else if (strcmp(which, "between") == 0)
        right = read_between() < 1;
    else if (which[0])
        right = accumulate(which);
    MPI_Win_free(&win);
    MPI_Finalize();
    return right ? 0 : 3;
}
