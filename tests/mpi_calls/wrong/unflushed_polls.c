/* SPDX-License-Identifier: MIT */
/* nodes: 2 */
/* exit: 1 */
/* error: livelock: MPI_Fetch_and_op of node 1: called 100000 times in a row for one result, which nothing in this loop completes */
/* error: (NAME.c:LINE) */
/* also: -- swap => 1 livelock: MPI_Compare_and_swap of node 1: called 100000 times in a row */
/* also: -- get => 1 livelock: MPI_Get of node 1: called 100000 times in a row */
/* also: -- both => 1 livelock: MPI_Fetch_and_op of node 1: called 100000 times in a row */
/* also: -- flush => 0 */
/* also: -- often => 0 */
/* Node 1 waits for what node 0 writes, with and without a flush; and gets as often with few flushes. */
#include <mpi.h>
#include <string.h>

enum { MANY = 150000 };

static MPI_Win win;
static int none = -1;

/* Ask once whether the value has come. */
static void
ask(const char *how, int *value, int *count)
{
    if (strcmp(how, "swap") == 0)
        MPI_Compare_and_swap(&none, &none, value, MPI_INT, 0, 0, win);
    else if (strcmp(how, "get") == 0)
        MPI_Get(value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    else
        MPI_Fetch_and_op(NULL, value, MPI_INT, 0, 0, MPI_NO_OP, win); /* HERE */
    if (strcmp(how, "both") == 0)
        MPI_Get_accumulate(NULL, 0, MPI_INT, count, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_NO_OP, win);
    if (strcmp(how, "flush") == 0)
        MPI_Win_flush(0, win);
}

static void
wait_for_value(const char *how)
{
    int value = none, count = 0;

    while (value == none)
        ask(how, &value, &count);
}

/* Get one value many times, as benchmarks do. */
static void
get_often(void)
{
    int value;

    for (int i = 0; i < MANY; i++) {
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        if (i % 64 == 0)
            MPI_Win_flush(0, win);
    }
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "fetch";
    int rank, *memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = none;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; rank == 0 && i < MANY && strcmp(how, "flush") == 0; i++)
        MPI_Win_flush(0, win);
    if (rank == 0) {
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
    } else if (strcmp(how, "often") == 0) {
        get_often();
    } else {
        wait_for_value(how);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
