/* nodes: 2 3 8 */
/* SPDX-License-Identifier: MIT */
/* Accesses to one place of a window that do not conflict: ordered, of one operator, or only reading; and buffers that
 * lie between each other.  A strict run finds nothing. */
#include "check.h"

static int memory[64], next, previous;
static MPI_Win win;

/* Each node puts into the same place of node 0, one after the other. */
static void
by_order(void)
{
    int token = 0, seen = -1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank > 0) /* the token comes when the one before is done */
        MPI_Recv(&token, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    CHECK(seen == rank);
    if (rank < size - 1)
        MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) {
        MPI_Win_fence(0, win);
        if (rank == i)
            MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    CHECK(rank != 0 || memory[0] == size - 1);
}

/* All at once: the same operator, MPI_NO_OP, reads, and places of each node's own between each other. */
static void
at_once(void)
{
    int ten[10], one = 1, old, copies[4] = {0};
    MPI_Datatype apart;

    memory[1] = 0;
    memset(&memory[8], 0, 40 * sizeof *memory);
    MPI_Type_vector(5, 1, 8, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    for (int i = 0; i < 10; i++)
        ten[i] = rank;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_NO_OP, win);
    for (int i = 0; i < 4; i++)
        MPI_Get(&copies[i], 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    if (rank < 8)
        MPI_Put(ten, 5, MPI_INT, 0, 8 + rank, 1, apart, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; i++)
        CHECK(copies[i] == size - 1);
    CHECK(old >= 0 && old <= 2 * size);
    CHECK(rank != 0 || memory[1] == 2 * size);
    for (int i = 0; i < 40 && rank == 0; i++)
        CHECK(memory[8 + i] == (i % 8 < size ? i % 8 : 0));
    MPI_Type_free(&apart);
}

/* Columns of one matrix that are sent and received at the same time, and one buffer that several sends read. */
static void
buffers(void)
{
    int matrix[3][4], sum[2] = {0}, same = rank;
    MPI_Datatype column;
    MPI_Request requests[6];

    for (int i = 0; i < 12; i++)
        matrix[i / 4][i % 4] = rank;
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(&matrix[0][0], 1, column, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&matrix[0][3], 1, column, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&matrix[0][2], 1, column, next, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&matrix[0][2], 1, column, previous, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Iallreduce(&same, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[4]);
    MPI_Iallreduce(&same, &sum[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[5]);
    matrix[0][1] = same; /* between them */
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    CHECK(sum[0] == size * (size - 1) / 2 && sum[1] == sum[0]);
    for (int i = 0; i < 3; i++)
        CHECK(matrix[i][0] == previous && matrix[i][3] == next);
    MPI_Type_free(&column);
}

/* Only the root of a gather gives lists; others may pass anything. */
static void
lists_of_the_root(void)
{
    int counts[8], displs[8], all[8], *none = (int *)8;

    for (int i = 0; i < 8; i++) {
        counts[i] = 1;
        displs[i] = i;
    }
    MPI_Gatherv(&rank, 1, MPI_INT, all, rank == 0 ? counts : none, rank == 0 ? displs : none, MPI_INT, 0,
                MPI_COMM_WORLD);
    CHECK(rank != 0 || all[size - 1] == size - 1);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    by_order();
    at_once();
    buffers();
    lists_of_the_root();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
