/* nodes: 2 3 6 */
/* SPDX-License-Identifier: MIT */
/* Waitany, Waitsome, Test, Testall, Testany, Testsome, persistent requests, Cancel, Request_free, Request_get_status. */
#include "check.h"

static int right, left;

/* Node 0 is late: others ask in vain before. */
static void
tests(void)
{
    MPI_Request request;
    MPI_Status status;
    int got = -1, flag = 0, asked = 0, start = 1;

    MPI_Irecv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
    if (rank == 0)
        MPI_Send(&start, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    while (!flag) {
        MPI_Test(&request, &flag, &status);
        asked++;
    }
    CHECK(request == MPI_REQUEST_NULL && got == 1 && status.MPI_SOURCE == left && asked > 0);
    if (rank != 0)
        MPI_Send(&start, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    flag = 0;
    MPI_Test(&request, &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE);
}

static void
any(void)
{
    enum { MANY = 5 };
    MPI_Request requests[2 * MANY];
    MPI_Status statuses[2 * MANY];
    int got[MANY], indices[2 * MANY], count, index, done = 0, flag;

    for (int i = 0; i < MANY; i++) {
        got[i] = -1;
        MPI_Irecv(&got[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Isend(&rank, 1, MPI_INT, right, MANY - 1 - i, MPI_COMM_WORLD, &requests[MANY + i]);
    MPI_Waitany(2 * MANY, requests, &index, statuses);
    CHECK(index >= 0 && index < 2 * MANY && requests[index] == MPI_REQUEST_NULL);
    done++;
    MPI_Waitsome(2 * MANY, requests, &count, indices, statuses);
    CHECK(count >= 1);
    done += count;
    flag = 0;
    while (!flag) {
        MPI_Testany(2 * MANY, requests, &index, &flag, statuses);
        done += flag && index != MPI_UNDEFINED;
        if (flag && index == MPI_UNDEFINED)
            break;
    }
    for (;;) {
        MPI_Testsome(2 * MANY, requests, &count, indices, statuses);
        if (count == MPI_UNDEFINED)
            break;
        done += count;
    }
    CHECK(done == 2 * MANY);
    for (int i = 0; i < MANY; i++)
        CHECK(got[i] == left);
    MPI_Waitany(2 * MANY, requests, &index, statuses);
    CHECK(index == MPI_UNDEFINED);
    MPI_Testall(2 * MANY, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag);
}

static void
persistent(void)
{
    MPI_Request requests[2];
    int out, in = -1, flag;

    MPI_Send_init(&out, 1, MPI_INT, right, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE); /* not started: complete and empty */
    CHECK(flag && requests[1] != MPI_REQUEST_NULL);
    for (int i = 0; i < 3; i++) {
        out = rank * 10 + i;
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(in == left * 10 + i);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    CHECK(requests[0] == MPI_REQUEST_NULL);
}

static void
given_up(void)
{
    MPI_Request request, freed;
    MPI_Status status;
    int never = -1, flag = 0, in = -1;

    MPI_Irecv(&never, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag && never == -1);
    MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
    MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, &status);
    CHECK(in == left && request != MPI_REQUEST_NULL && status.MPI_SOURCE == left);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    tests();
    any();
    persistent();
    given_up();
    MPI_Finalize();
    return 0;
}
