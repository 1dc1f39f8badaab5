/* SPDX-License-Identifier: MIT */
/* Collectives that differ, requests that nobody waits for, locks in a circle, lengths that differ. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, P;
static MPI_Comm world = MPI_COMM_WORLD;
static double in[64], out[64];
static int ints[64];
static void
sum(double *v, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, world);
}
static double
norm(const double *x, int n)
{
    double all;
    if (n == 0)
        return 0;
    MPI_Allreduce(x, &all, 1, MPI_DOUBLE, MPI_MAX, world);
    return all;
}

static void
post(double *b, int to, MPI_Request *r)
{
    MPI_Isend(b, 4, MPI_DOUBLE, to, 0, world, r);
}
static void
send_local(int to, MPI_Request *r)
{
    double v[8] = {1, 2, 3};
    MPI_Isend(v, 8, MPI_DOUBLE, to, 0, world, r);
}

int
main(int argc, char **argv)
{
    const char *want = argc > 1 ? argv[1] : "";
    MPI_Request r[16], one;
    MPI_Win w;
    int *mem;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
#define CASE(name) if (strcmp(want, #name) == 0)
    int next = (me + 1) % P, before = (me + P - 1) % P;
    /* collectives */
    CASE(early)
    {
        norm(in, me == P - 1 ? 0 : 2);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, world);
    }
    CASE(two_lines)
    {
        if (me == 0)
            MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_MAX, world);
        else
            MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, world);
    }
    CASE(roots)
    {
        if (me == 0)
            MPI_Bcast(in, 1, MPI_DOUBLE, 0, world);
        else
            MPI_Bcast(in, 1, MPI_DOUBLE, 1, world);
    }
    CASE(one_root) MPI_Bcast(in, 1, MPI_DOUBLE, me == 0 ? 0 : 1, world);
    CASE(one_size) MPI_Bcast(in, me + 1, MPI_DOUBLE, 0, world);
    CASE(wrapper)
    {
        if (me != 1)
            sum(in, 1);
        sum(in, 3);
    }
    CASE(blocking)
    {
        if (me == 0) {
            MPI_Ibcast(in, 1, MPI_DOUBLE, 0, world, &one);
            MPI_Wait(&one, MPI_STATUS_IGNORE);
        } else
            MPI_Bcast(in, 1, MPI_DOUBLE, 0, world);
    }
    CASE(missing)
    {
        if (me == 0)
            MPI_Barrier(world);
    }
    CASE(other)
    {
        if (me == 0)
            MPI_Barrier(world);
        else
            MPI_Bcast(in, 1, MPI_DOUBLE, 0, world);
    }
    /* requests */
    CASE(halo1) for (int step = 0; step < 5; step++)
    {
        MPI_Irecv(in, 1, MPI_DOUBLE, before, 0, world, r);
        MPI_Isend(out, 1, MPI_DOUBLE, next, 0, world, r + 1);
    }
    CASE(halo2)
    {
        int step = 0;
        do {
            int n[2] = {next, before};
            for (int i = 0; i < 2; i++) {
                MPI_Irecv(in + 8 * i, 4, MPI_DOUBLE, n[i], i, world, &one);
                MPI_Isend(out + 8 * i, 4, MPI_DOUBLE, n[i], 1 - i, world, &one);
            }
        } while (++step < 3);
    }
    CASE(fan) if (me == 0)
    {
        for (int i = 1; i < P; i++)
            MPI_Isend(in, 1, MPI_DOUBLE, i, 0, world, &one);
    }
    else MPI_Recv(in, 1, MPI_DOUBLE, 0, 0, world, MPI_STATUS_IGNORE);
    CASE(array) if (me == 0)
    {
        for (int i = 1; i < P; i++)
            MPI_Irecv(in + i, 1, MPI_DOUBLE, i, 0, world, r + i);
    }
    else MPI_Send(in, 1, MPI_DOUBLE, 0, 0, world);
    CASE(cancel) if (me == 0)
    {
        MPI_Irecv(in, 1, MPI_DOUBLE, 1, 9, world, &one);
        MPI_Cancel(&one);
    }
    CASE(cancels) if (me == 0) for (int i = 0; i < 4; i++)
    {
        MPI_Irecv(in, 1, MPI_DOUBLE, 1, 9, world, &one);
        MPI_Cancel(&one);
    }
    CASE(single)
    {
        if (me == 0)
            MPI_Isend(in, 1, MPI_DOUBLE, 1, 0, world, &one);
        if (me == 1)
            MPI_Recv(in, 1, MPI_DOUBLE, 0, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(helper) for (int i = 0; i < 4; i++)
    {
        post(out, next, r + i);
        MPI_Recv(in, 4, MPI_DOUBLE, before, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(scope)
    {
        send_local(next, &one);
        MPI_Recv(in, 8, MPI_DOUBLE, before, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(swapped)
    {
        double *a = in, *b = out;
        for (int i = 0; i < 6; i++) {
            MPI_Irecv(a, 1, MPI_DOUBLE, before, 0, world, r);
            MPI_Send(b, 1, MPI_DOUBLE, next, 0, world);
            double *t = a;
            a = b;
            b = t;
        }
    }
    /* locks */
    CASE(locks)
    {
        MPI_Win_allocate(8, 8, MPI_INFO_NULL, world, &mem, &w);
        MPI_Barrier(world);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, w);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, w);
        MPI_Win_unlock(next, w);
        MPI_Win_unlock(me, w);
        MPI_Win_free(&w);
    }
    CASE(held_receive)
    {
        MPI_Win_allocate(8, 8, MPI_INFO_NULL, world, &mem, &w);
        if (me == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
            MPI_Send(in, 1, MPI_DOUBLE, 1, 0, world);
            MPI_Recv(in, 1, MPI_DOUBLE, 1, 0, world, MPI_STATUS_IGNORE);
            MPI_Win_unlock(0, w);
        } else if (me == 1) {
            MPI_Recv(in, 1, MPI_DOUBLE, 0, 0, world, MPI_STATUS_IGNORE);
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
            MPI_Win_unlock(0, w);
            MPI_Send(in, 1, MPI_DOUBLE, 0, 0, world);
        }
        MPI_Win_free(&w);
    }
    CASE(held_barrier)
    {
        MPI_Win_allocate(8, 8, MPI_INFO_NULL, world, &mem, &w);
        if (me == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
            MPI_Barrier(world);
            MPI_Barrier(world);
            MPI_Win_unlock(0, w);
        } else {
            MPI_Barrier(world);
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
            MPI_Win_unlock(0, w);
            MPI_Barrier(world);
        }
        MPI_Win_free(&w);
    }
    CASE(late_lock)
    {
        MPI_Win_allocate(8, 8, MPI_INFO_NULL, world, &mem, &w);
        MPI_Barrier(world);
        for (int i = 0; i < 2; i++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (me + i) % P, 0, w);
            MPI_Accumulate(ints, 1, MPI_INT, (me + i) % P, 0, 1, MPI_INT, MPI_SUM, w);
        }
        MPI_Win_unlock(next, w);
        MPI_Win_unlock(me, w);
        MPI_Win_free(&w);
    }
    /* lengths */
    CASE(counts)
    {
        if (me == 0)
            MPI_Send(ints, 2, MPI_INT, 1, 0, world);
        else if (me == 1)
            MPI_Recv(ints, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(types)
    {
        if (me == 0)
            MPI_Send(in, 4, MPI_DOUBLE, 1, 0, world);
        else if (me == 1)
            MPI_Recv(in, 4, MPI_FLOAT, 0, 0, world, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
