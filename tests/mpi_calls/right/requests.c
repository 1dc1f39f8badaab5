/* nodes: 2 3 6 */
/* SPDX-License-Identifier: MIT */
/* Waitany, Waitsome, Test, Testall, Testany, Testsome, persistent requests, Cancel, Request_free, Request_get_status;
 * requests of both directions; generalized requests. */
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
    for (int i = 0; i < 2; i++) { /* also when it is only looked at */
        if (i == 0)
            MPI_Irecv(&never, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &request);
        else
            MPI_Issend(&never, 1, MPI_INT, right, 78, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        for (flag = 0; !flag;)
            MPI_Request_get_status(request, &flag, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK(flag && request != MPI_REQUEST_NULL);
        MPI_Request_free(&request);
    }
    MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
    MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, &status);
    CHECK(in == left && request != MPI_REQUEST_NULL && status.MPI_SOURCE == left);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Both directions in one request: round a ring, with any wait; to MPI_PROC_NULL; in place, with gaps in the
 * datatype. */
static void
both(void)
{
    enum { COUNT = 4 };
    MPI_Request requests[COUNT + 1], request;
    MPI_Status status;
    MPI_Datatype gaps;
    int out[COUNT], in[COUNT], flag, index, done = 0;

    for (int i = 0; i < COUNT; i++) {
        out[i] = 10 * rank + i;
        in[i] = -1;
        MPI_Isendrecv(&out[i], 1, MPI_INT, right, i, &in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    }
    requests[COUNT] = MPI_REQUEST_NULL;
    while (done < COUNT) {
        MPI_Waitany(COUNT + 1, requests, &index, &status);
        CHECK(in[index] == 10 * left + index && status.MPI_SOURCE == left && status.MPI_TAG == index);
        done++;
    }
    /* Only to the right neighbour, from MPI_PROC_NULL; and the other way round, complete when both parts are. */
    MPI_Isendrecv(out, 1, MPI_INT, right, 9, in, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &request);
    MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 9, in, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&request, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && request == MPI_REQUEST_NULL);
    for (flag = 0; !flag;)
        MPI_Request_get_status(requests[0], &flag, &status);
    CHECK(in[0] == 10 * left);
    for (flag = 0; !flag;)
        MPI_Test(&requests[0], &flag, &status);
    CHECK(in[0] == 10 * left && status.MPI_SOURCE == left);
    int twice[2][4] = {{rank, 0, rank + 1, 0}, {rank + 2, 0, rank + 3, 0}}, count;

    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    for (int i = 0; i < 2; i++)
        MPI_Isendrecv_replace(twice[i], 1, gaps, right, i, left, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Type_free(&gaps);
    memset(out, 0, sizeof out);
    MPI_Wait(&requests[1], &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 2);
    MPI_Wait(&requests[0], &status);
    for (int i = 0; i < 4; i++)
        CHECK(twice[i / 2][i % 2 * 2] == left + i && twice[i / 2][1] == 0);
    /* From MPI_PROC_NULL, but not complete before the sent message is received. */
    if (rank == 0) {
        MPI_Isendrecv(out, 1, MPI_INT, 1, 11, in, 1, MPI_INT, MPI_PROC_NULL, 11, MPI_COMM_WORLD, &request);
        MPI_Request_get_status(request, &flag, &status);
        CHECK(!flag);
        MPI_Send(out, 1, MPI_INT, 1, 12, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(in, 1, MPI_INT, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 1, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /* Freed at once: the message arrives all the same. */
    in[0] = -1;
    MPI_Isendrecv(&rank, 1, MPI_INT, right, 4, in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    while (*(volatile int *)in < 0)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, &status);
    CHECK(in[0] == left);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The operation of a generalized request here. */
struct work {
    int value, queries, freed, cancels, was_complete;
};

static int
query(void *extra, MPI_Status *status)
{
    struct work *work = extra;

    work->queries++;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, work->cancels);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = work->value;
    return MPI_SUCCESS;
}

static int
release(void *extra)
{
    struct work *work = extra;

    work->freed++;
    return work->value < 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int
cancel(void *extra, int complete)
{
    struct work *work = extra;

    work->cancels++;
    work->was_complete = complete;
    return MPI_SUCCESS;
}

static void
generalized(void)
{
    struct work one = {.value = 7}, two = {.value = 8}, failed = {.value = -1};
    MPI_Request requests[3], kept;
    MPI_Status status;
    int flag = -1, index = -1, got = -1, count = -1;

    MPI_Grequest_start(query, release, cancel, &one, &requests[0]);
    MPI_Grequest_start(query, release, cancel, &two, &requests[1]);
    MPI_Test(&requests[0], &flag, &status);
    CHECK(flag == 0 && one.queries == 0);
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag == 0);
    /* Beside a message: that is complete first. */
    MPI_Irecv(&got, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(&rank, 1, MPI_INT, right, 6, MPI_COMM_WORLD);
    MPI_Waitany(3, requests, &index, &status);
    CHECK(index == 2 && got == left);
    MPI_Cancel(&requests[1]);
    CHECK(two.cancels == 1 && two.was_complete == 0);
    MPI_Grequest_complete(requests[1]);
    MPI_Request_get_status(requests[1], &flag, &status);
    CHECK(flag && two.queries == 1 && two.freed == 0);
    MPI_Waitany(2, requests, &index, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(index == 1 && count == 3 && status.MPI_SOURCE == 5 && status.MPI_TAG == 8 && two.freed == 1);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag && requests[1] == MPI_REQUEST_NULL);
    /* One that the program gives up is freed when it is complete. */
    kept = requests[0];
    MPI_Request_free(&requests[0]);
    CHECK(requests[0] == MPI_REQUEST_NULL && one.freed == 0);
    MPI_Grequest_complete(kept);
    CHECK(one.freed == 1 && one.queries == 0);
    MPI_Grequest_start(query, release, cancel, &failed, &kept);
    MPI_Grequest_complete(kept);
    CHECK(MPI_Wait(&kept, MPI_STATUS_IGNORE) == MPI_ERR_OTHER && failed.queries == 1 && failed.freed == 1);
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
    both();
    generalized();
    MPI_Finalize();
    return 0;
}
