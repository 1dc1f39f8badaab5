/* nodes: 2 */
/* SPDX-License-Identifier: MIT */
/* Data with gaps: few pieces, long pieces, many short ones; all ways to send and receive; requests freed before they
 * are complete. */
#include "check.h"

enum { ROOM = 8192, LAYOUTS = 6 };

/* A type, how many elements of it, and how many ints of each are data: *of[i] at place i. */
static MPI_Datatype
layout(int which, int *count)
{
    static const int lengths[] = {3, 1, 2}, places[] = {5, 0, 20};
    MPI_Datatype type, inner;

    *count = 1;
    switch (which) {
    case 0: /* 4 pieces of 4 bytes */
        MPI_Type_vector(4, 1, 3, MPI_INT, &type);
        break;
    case 1: /* 40 pieces of 200 bytes */
        MPI_Type_vector(40, 50, 70, MPI_INT, &type);
        break;
    case 2: /* 300 of 4 bytes */
        MPI_Type_vector(300, 1, 2, MPI_INT, &type);
        break;
    case 3: /* 3 of unequal lengths, the later one first */
        MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
        *count = 7;
        break;
    case 4: /* 17, of which the last is short */
        MPI_Type_vector(16, 40, 45, MPI_INT, &inner);
        MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 4000}, (MPI_Datatype[]){inner, MPI_INT}, &type);
        MPI_Type_free(&inner);
        break;
    default: /* neighbours that make one piece */
        MPI_Type_vector(10, 1, 1, MPI_INT, &inner);
        MPI_Type_create_resized(inner, 0, 60, &type);
        MPI_Type_free(&inner);
        *count = 5;
        break;
    }
    MPI_Type_commit(&type);
    return type;
}

static void
fill(int *ints, int first)
{
    for (int i = 0; i < ROOM; i++)
        ints[i] = first + i;
}

/* The contents of `to` after a receive of `from`, as the type orders it. */
static void
expect(MPI_Datatype type, int count, const int *from, int *to, const int *got)
{
    static char packed[4 * ROOM];
    int bytes, at = 0;

    MPI_Pack(from, count, type, packed, sizeof packed, &at, MPI_COMM_SELF);
    bytes = at;
    at = 0;
    MPI_Unpack(packed, bytes, &at, to, count, type, MPI_COMM_SELF);
    CHECK(memcmp(to, got, sizeof(int) * ROOM) == 0);
}

static void
exchange(MPI_Datatype type, int count, int way)
{
    static int out[ROOM], in[ROOM], wanted[ROOM];
    MPI_Request requests[2];
    MPI_Status status;
    int other = 1 - rank, had;

    fill(out, 10000 * (rank + 1));
    fill(in, 1);
    fill(wanted, 1);
    if (way == 0) {
        MPI_Sendrecv(out, count, type, other, 1, in, count, type, other, 1, MPI_COMM_WORLD, &status);
    } else if (way == 1) {
        MPI_Irecv(in, count, type, other, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, count, type, other, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[0], &status);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else {
        MPI_Recv_init(in, count, type, other, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Send_init(out, count, type, other, 1, MPI_COMM_WORLD, &requests[1]);
        for (int i = 0; i < 2; i++) {
            MPI_Startall(2, requests);
            MPI_Wait(&requests[0], &status);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    MPI_Get_count(&status, type, &had);
    CHECK(had == count);
    fill(out, 10000 * (other + 1)); /* as it was there */
    expect(type, count, out, wanted, in);
}

/* A message that is shorter than its receive leaves the rest alone. */
static void
shorter(void)
{
    static int out[ROOM], in[ROOM];
    MPI_Datatype type;
    MPI_Status status;
    int elements;

    MPI_Type_vector(20, 40, 50, MPI_INT, &type);
    MPI_Type_commit(&type);
    fill(out, 5);
    fill(in, -ROOM);
    if (rank == 0) {
        MPI_Send(out, 61, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 1, type, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_elements(&status, type, &elements);
        CHECK(elements == 61);
        CHECK(in[39] == 44 && in[40] == 40 - ROOM && in[50] == 45 && in[70] == 65 && in[71] == 71 - ROOM);
    }
    MPI_Type_free(&type);
}

/* No call waits for a freed receive, but its data have arrived when a later message has. */
static void
freed(MPI_Datatype type, int count, int early)
{
    static int out[ROOM], in[ROOM], wanted[ROOM];
    MPI_Request request;

    fill(out, 500);
    if (rank == 0) {
        if (!early)
            MPI_Recv(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, count, type, 1, 1, MPI_COMM_WORLD);
        MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
        return;
    }
    fill(in, 1);
    fill(wanted, 1);
    MPI_Irecv(in, count, type, 0, 1, MPI_COMM_WORLD, &request);
    if (early) { /* it is complete when it is freed */
        MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Request_free(&request);
        MPI_Send(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    CHECK(request == MPI_REQUEST_NULL);
    expect(type, count, out, wanted, in);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int which = 0; which < LAYOUTS; which++) {
        int count;
        MPI_Datatype type = layout(which, &count);

        for (int way = 0; way < 3; way++)
            exchange(type, count, way);
        freed(type, count, 0);
        freed(type, count, 1);
        MPI_Type_free(&type);
    }
    shorter();
    MPI_Finalize();
    return 0;
}
