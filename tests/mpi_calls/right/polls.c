/* SPDX-License-Identifier: MIT */
/* nodes: 2 3 5 */
/* explore: 2 3 */
/* Polling and sleeping while others wait with what is received later: no message has to be buffered for it. */
#include "check.h"
#include <unistd.h>

enum { LATER = 1, NEVER = 9 };

/* How node 0 passes the time. */
static void
look(int times)
{
    int flag;

    for (int i = 0; i < times; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
}

static void
test(int times)
{
    MPI_Request request;
    int flag, x;

    MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, NEVER, MPI_COMM_WORLD, &request);
    for (int i = 0; i < times; i++) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void
doze(int times)
{
    for (int i = 0; i < times; i++)
        usleep(10);
}

/* One message of each other node, received when the time has passed. */
static void
receive_late(void (*pass)(int times), int times, int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    int x = rank;

    if (rank > 0)
        send(&x, 1, MPI_INT, 0, LATER, MPI_COMM_WORLD);
    else
        pass(times);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(&x, 1, MPI_INT, i, LATER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(x == i);
    }
}

/* Nodes 0 and 1 access a window while the last one waits in a reduction, as with an odd number of nodes in pairs. */
static void
flush(int times)
{
    MPI_Win win;
    int memory = 0, one = rank, sum = 0;

    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; rank == 0 && i < times; i++) {
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
        MPI_Win_flush(1, win);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* What is polled for comes, from a node that sends it after a message that is received before. */
static void
poll_for_the_second(void)
{
    int x = rank, flag = 0;

    if (rank == 1) {
        MPI_Send(&x, 1, MPI_INT, 0, LATER, MPI_COMM_WORLD);
        MPI_Send(&x, 1, MPI_INT, 0, NEVER, MPI_COMM_WORLD);
    }
    if (rank > 0)
        return;
    for (int i = 0; i < 150; i++)
        MPI_Iprobe(1, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* it may come if the first is buffered */
    MPI_Recv(&x, 1, MPI_INT, 1, LATER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Iprobe(1, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&x, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(x == 1);
}

int
main(int argc, char **argv)
{
    int many = 300;

    begin(&argc, &argv);
    receive_late(look, many, MPI_Send);
    MPI_Barrier(MPI_COMM_WORLD);
    receive_late(test, many, MPI_Send);
    MPI_Barrier(MPI_COMM_WORLD);
    receive_late(doze, 40 * many, MPI_Send);
    MPI_Barrier(MPI_COMM_WORLD);
    flush(many);
    poll_for_the_second();
    MPI_Barrier(MPI_COMM_WORLD);
    receive_late(look, many, MPI_Ssend);
    MPI_Finalize();
    return 0;
}
