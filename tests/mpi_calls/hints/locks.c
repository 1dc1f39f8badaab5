/* SPDX-License-Identifier: MIT */
/* Locks of windows in a circle, and held where the node waits for others. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int me, P, x, *mem;
static MPI_Comm world = MPI_COMM_WORLD;
static MPI_Win a, b, all[4];

struct account {
    MPI_Win window;
    int owner;
};

static MPI_Win
window(void)
{
    MPI_Win made;

    MPI_Win_allocate(8, 4, MPI_INFO_NULL, world, &mem, &made);
    return made;
}

static void
hold(MPI_Win w, int rank)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w);
}

static void
drop(MPI_Win w, int rank)
{
    MPI_Win_unlock(rank, w);
}

/* Add one to the word of the rank while another lock is held. */
static void
nested(MPI_Win outer, int at, MPI_Win inner, int rank)
{
    hold(outer, at);
    MPI_Accumulate(&x, 1, MPI_INT, at, 0, 1, MPI_INT, MPI_SUM, outer);
    hold(inner, rank);
    MPI_Accumulate(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, inner);
    drop(inner, rank);
    drop(outer, at);
}

static void
transfer(struct account from, struct account to)
{
    nested(from.window, from.owner, to.window, to.owner);
}

/* Node 0 waits for a message with a lock that node 1 needs before it sends. */
static void
needs_lock(MPI_Win w, int type)
{
    MPI_Recv(&x, 1, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
    MPI_Win_lock(type, 0, 0, w);
    MPI_Win_unlock(0, w);
    MPI_Send(&x, 1, MPI_INT, 0, 7, world);
}

static void
circles(const char *want)
{
#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(two_windows)
    {
        if (me == 0)
            nested(a, 0, b, 0);
        else if (me == 1)
            nested(b, 0, a, 0);
    }
    CASE(named)
    {
        MPI_Win_set_name(a, "left");
        MPI_Win_set_name(b, "right");
        if (me < 2)
            nested(me == 0 ? a : b, 0, me == 0 ? b : a, 0);
    }
    CASE(array)
    {
        nested(all[me % 3], 0, all[(me + 1) % 3], 0);
    }
    CASE(transfer)
    {
        struct account mine = {a, me}, other = {a, (me + 1) % P};

        transfer(mine, other);
    }
    CASE(shared)
    {
        if (me < 2) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, me == 0 ? a : b);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, me == 0 ? b : a);
            MPI_Win_unlock(0, me == 0 ? b : a);
            MPI_Win_unlock(0, me == 0 ? a : b);
        }
    }
    CASE(loop)
    {
        for (int i = 0; i < P; i++)
            hold(a, (me + i) % P);
        for (int i = 0; i < P; i++)
            drop(a, i);
    }
    CASE(downwards)
    {
        for (int i = 0; i < P; i++)
            hold(a, me % 2 ? P - 1 - i : i);
        for (int i = 0; i < P; i++)
            drop(a, i);
    }
    CASE(all_then_one)
    {
        if (me == 0) {
            MPI_Win_lock_all(0, a);
            MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, a);
            MPI_Win_flush(0, a);
            hold(b, 0);
            drop(b, 0);
            MPI_Win_unlock_all(a);
        } else if (me == 1) {
            nested(b, 0, a, 0);
        }
    }
}

static void
waits(const char *want)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int y = 0;

    if (me == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a);
    CASE(ssend)
    {
        if (me == 0)
            MPI_Ssend(&x, 1, MPI_INT, 1, 7, world);
        else if (me == 1) {
            hold(a, 0);
            drop(a, 0);
            MPI_Recv(&y, 1, MPI_INT, 0, 7, world, MPI_STATUS_IGNORE);
        }
    }
    CASE(receive)
    {
        if (me == 0) {
            MPI_Send(&x, 1, MPI_INT, 1, 7, world);
            MPI_Recv(&y, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE);
        } else if (me == 1)
            needs_lock(a, MPI_LOCK_SHARED);
    }
    CASE(wait)
    {
        if (me == 0) {
            MPI_Irecv(&y, 1, MPI_INT, 1, 7, world, &request);
            MPI_Send(&x, 1, MPI_INT, 1, 7, world);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (me == 1)
            needs_lock(a, MPI_LOCK_EXCLUSIVE);
    }
    CASE(probe)
    {
        if (me == 0) {
            MPI_Send(&x, 1, MPI_INT, 1, 7, world);
            MPI_Probe(1, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
        } else if (me == 1)
            needs_lock(a, MPI_LOCK_EXCLUSIVE);
    }
    CASE(sendrecv)
    {
        if (me == 0)
            MPI_Sendrecv(&x, 1, MPI_INT, 1, 7, &y, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE);
        else if (me == 1)
            needs_lock(a, MPI_LOCK_EXCLUSIVE);
    }
    CASE(any)
    {
        if (me == 0)
            for (int i = 1; i < P; i++)
                MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 7, world, MPI_STATUS_IGNORE);
        else {
            hold(a, 0);
            drop(a, 0);
            MPI_Send(&x, 1, MPI_INT, 0, 7, world);
        }
    }
    CASE(barrier)
    {
        if (me > 0)
            hold(a, 0);
        MPI_Barrier(world);
        if (me > 0)
            drop(a, 0);
    }
    CASE(allreduce)
    {
        if (me == P - 1)
            hold(a, 0);
        MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, world);
        if (me == P - 1)
            drop(a, 0);
    }
    CASE(polls)
    {
        int found = 0;

        if (me == 0)
            while (!found)
                MPI_Iprobe(1, 7, world, &found, MPI_STATUS_IGNORE);
        else if (me == 1) {
            hold(a, 0);
            drop(a, 0);
            MPI_Send(&x, 1, MPI_INT, 0, 7, world);
        }
    }
    CASE(three)
    {
        if (me == 0)
            MPI_Recv(&y, 1, MPI_INT, 2, 7, world, MPI_STATUS_IGNORE);
        else if (me == 1) {
            hold(a, 0);
            MPI_Send(&x, 1, MPI_INT, 2, 7, world);
            drop(a, 0);
        } else if (me == 2) {
            MPI_Recv(&y, 1, MPI_INT, 1, 7, world, MPI_STATUS_IGNORE);
            MPI_Send(&x, 1, MPI_INT, 0, 7, world);
        }
    }
    CASE(fence)
    {
        if (me == 1)
            hold(a, 0);
        MPI_Win_fence(0, b);
        MPI_Win_fence(0, b);
        if (me == 1)
            drop(a, 0);
    }
    if (me == 0)
        MPI_Win_unlock(0, a);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    a = window();
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, world, &mem, &b);
    for (int i = 0; i < 4; i++)
        all[i] = window();
    MPI_Barrier(world);
    if (argc > 1)
        circles(argv[1]);
    MPI_Barrier(world);
    if (argc > 1)
        waits(argv[1]);
    MPI_Barrier(world);
    MPI_Finalize();
    return 0;
}
