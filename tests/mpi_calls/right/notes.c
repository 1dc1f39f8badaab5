/* nodes: 2 5 */
/* SPDX-License-Identifier: MIT */
/* What is like the programs that get a note, or a finding of the same kind, and is right: strict runs say nothing. */
#include "check.h"
#include <stddef.h>

static MPI_Request request, requests[2];
static MPI_Status status;

/* Tags that every library has; a larger one, which the library says that it has. */
static void
tags(void)
{
    int *most, found, x = rank, next = (rank + 1) % size, before = (rank + size - 1) % size;

    MPI_Sendrecv(&x, 1, MPI_INT, next, 32767, &found, 1, MPI_INT, before, 32767, MPI_COMM_WORLD, &status);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    CHECK(found && *most >= 32767);
    MPI_Sendrecv(&x, 1, MPI_INT, next, *most, &found, 1, MPI_INT, before, *most, MPI_COMM_WORLD, &status);
    CHECK(found == before);
}

static void
structs(void)
{
    struct item {
        double x;
        char kind;
        int id;
        char last;
    } items[2] = {{0}};
    const MPI_Aint at[] = {offsetof(struct item, x), offsetof(struct item, kind), offsetof(struct item, id),
                           offsetof(struct item, last)};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR, MPI_INT, MPI_CHAR}, members, type, bytes;

    MPI_Type_create_struct(4, (int[]){1, 1, 1, 1}, at, types, &members);
    MPI_Type_create_resized(members, 0, sizeof *items, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(items, 2, type, 0, MPI_COMM_WORLD);
    MPI_Type_create_struct(2, (int[]){1, 0}, (MPI_Aint[]){3, 1}, (MPI_Datatype[]){MPI_CHAR, MPI_INT}, &bytes);
    MPI_Type_free(&bytes);
    MPI_Type_free(&type);
    MPI_Type_free(&members);
}

/* The place of the largest value, which all are told. */
static void
pairs(void)
{
    struct {
        long value;
        int place;
    } mine = {rank, rank}, most;
    long wide[4] = {rank};

    MPI_Reduce(&mine, &most, 1, MPI_LONG_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
    MPI_Bcast(&most, 1, MPI_LONG_INT, 0, MPI_COMM_WORLD);
    CHECK(most.place == size - 1);
    MPI_Bcast(wide, 4, MPI_LONG, 0, MPI_COMM_WORLD);
}

static void
sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int bytes;

    MPI_Type_size(*type, &bytes);
    CHECK(bytes == sizeof(int));
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Leaves what is larger, which is often the last one. */
static void
most(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

static void
operators(void)
{
    int in[5] = {rank, 0, size - rank, 0, 0}, out[5];
    MPI_Op op;

    MPI_Op_create(sum, 1, &op);
    MPI_Allreduce(in, out, 5, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(out[0] == size * (size - 1) / 2 && out[4] == 0);
    MPI_Op_free(&op);
    MPI_Op_create(most, 1, &op);
    MPI_Allreduce(in, out, 5, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(out[0] == size - 1 && out[2] == size);
    MPI_Op_free(&op);
}

static void
receives(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size, in[4], flag;

    MPI_Irecv(in, 2, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + 2, 2, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Send(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Recv_init(in, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request); /* it was never started */
    MPI_Irecv(in, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag && in[0] == before);
    MPI_Irecv(in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &request); /* nobody sends that */
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* MPI_MODE_NOPUT where others only get, and updates in the epochs before and after it. */
static void
assertions(void)
{
    int x = rank, got, *memory, next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Group all, from, to;
    MPI_Win win;

    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = -1;
    MPI_Win_fence(0, win);
    MPI_Put(&x, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(got == rank);
    MPI_Put(&x, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
    MPI_Put(&x, 1, MPI_INT, next, 1, 1, MPI_INT, win);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &before, &from);
    MPI_Group_incl(all, 1, &next, &to);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Win_post(from, turn == 0 ? MPI_MODE_NOPUT : 0, win);
        MPI_Win_start(to, 0, win);
        if (turn == 0)
            MPI_Get(&got, 1, MPI_INT, next, 1, 1, MPI_INT, win);
        else
            MPI_Put(&x, 1, MPI_INT, next, 1, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}

/* Counters: with one lock around both accesses, one node after the other, and at once. */
static void
counters(void)
{
    int count, one = 1, *memory;
    MPI_Win win;

    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    count++;
    MPI_Put(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    for (int turn = 0; turn < size; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn != rank)
            continue;
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
        count++;
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &count, MPI_INT, 0, 1, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        CHECK(memory[0] == 2 * size && memory[1] == size);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

/* One group for all, and two that have no member in common. */
static void
groups(void)
{
    int members[] = {size - 1, 0}, low[] = {0, size / 2, 1}, high[] = {size / 2, size - 1, 1};
    MPI_Group all, group;
    MPI_Comm made;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Group_free(&group);
    low[1] = size / 2 - 1;
    MPI_Group_range_incl(all, 1, rank < size / 2 ? &low : &high, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    tags();
    structs();
    pairs();
    operators();
    receives();
    assertions();
    counters();
    groups();
    MPI_Finalize();
    return 0;
}
