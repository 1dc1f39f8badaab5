/* SPDX-License-Identifier: MIT */
/* Collectives of two lines, or of one, that are not one call: nodes that return early, leave loops, take branches. */
#include <mpi.h>
#include <string.h>

static int me, P, n;
static MPI_Comm world = MPI_COMM_WORLD;
static double in[64], out[64];

static double
sum(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
    return all;
}

static void
combine(double *values, int count, MPI_Op op)
{
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, op, world);
}

static int
load(const char *name)
{
    if (me == 1 && name)
        return -1;
    MPI_Bcast(in, 2, MPI_DOUBLE, 0, world);
    return 0;
}

static void
share_mesh(void)
{
    MPI_Bcast(in, 8, MPI_DOUBLE, 0, world);
}

static void
share_options(void)
{
    MPI_Bcast(&n, 1, MPI_INT, 0, world);
}

static int
solve(double residual)
{
    int steps = 0;

    while (residual > 1) {
        residual /= 2;
        sum(residual);
        steps++;
    }
    return steps;
}

static void
descend(int depth)
{
    if (depth == 0)
        return;
    MPI_Allgather(&n, 1, MPI_INT, out, 1, MPI_INT, world);
    descend(depth - 1);
}

static void
returns(const char *want)
{
#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(failed_load)
    {
        if (load("mesh") == 0)
            sum(1);
        else
            combine(out, 1, MPI_MAX);
    }
    CASE(skipped_block)
    {
        for (int i = 0; i < 2; i++) {
            if (i == 0 && me == P - 1)
                continue;
            MPI_Reduce(in, out, i + 1, MPI_DOUBLE, MPI_SUM, 0, world);
        }
        MPI_Reduce(in, out, 5, MPI_DOUBLE, MPI_SUM, 0, world);
    }
    CASE(turns)
    {
        solve(me == 0 ? 4 : 8);
        MPI_Allreduce(&n, out, 1, MPI_INT, MPI_MAX, world);
    }
    CASE(turns_then_barrier)
    {
        solve(me == 0 ? 4 : 8);
        MPI_Barrier(world);
    }
    CASE(turns_then_nothing) solve(me == 0 ? 4 : 8);
    CASE(recursion)
    {
        descend(me == 0 ? 1 : 2);
        MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, world);
    }
    CASE(orders)
    {
        if (me % 2) {
            share_mesh();
            share_options();
        } else {
            share_options();
            share_mesh();
        }
    }
    CASE(switched)
    {
        switch (me) {
        case 0:
            MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, world);
            break;
        case 1:
            MPI_Scatter(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, world);
            break;
        default:
            MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, world);
        }
    }
    CASE(rooted)
    {
        if (me == 0)
            MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, 0, world);
        else
            MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, world);
    }
    CASE(left_loop)
    {
        for (int i = 0; i < 4; i++) {
            if (me == 1 && i == 2)
                break;
            sum(i);
        }
        combine(out, 3, MPI_PROD);
    }
    CASE(logged)
    {
        if (me == 0)
            sum(3);
        MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_MIN, world);
    }
    CASE(exscan)
    {
        if (me > 0)
            MPI_Exscan(in, out, 1, MPI_DOUBLE, MPI_SUM, world);
        MPI_Scan(in, out, 1, MPI_DOUBLE, MPI_SUM, world);
    }
}

static void
arguments(const char *want)
{
    MPI_Request one;

    CASE(operator) combine(in, 1, me == 0 ? MPI_SUM : MPI_MAX);
    CASE(count) combine(in, me == 1 ? 2 : 1, MPI_SUM);
    CASE(count_and_operator) combine(in, me == 1 ? 2 : 1, me == 1 ? MPI_MIN : MPI_SUM);
    CASE(own_root) MPI_Bcast(in, 1, MPI_DOUBLE, me, world);
    CASE(two_counts)
    {
        if (me == 0)
            MPI_Bcast(in, 4, MPI_DOUBLE, 0, world);
        else
            MPI_Bcast(in, 3, MPI_DOUBLE, 0, world);
    }
    CASE(count_and_root)
    {
        if (me == 0)
            MPI_Bcast(in, 4, MPI_DOUBLE, 0, world);
        else
            MPI_Bcast(&n, 1, MPI_INT, 1, world);
    }
    CASE(blocking_reduce)
    {
        if (me == 0)
            MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, world);
        else {
            MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, world, &one);
            MPI_Wait(&one, MPI_STATUS_IGNORE);
        }
    }
    CASE(blocking_barrier)
    {
        if (me == 0) {
            MPI_Ibarrier(world, &one);
            MPI_Wait(&one, MPI_STATUS_IGNORE);
        } else
            MPI_Barrier(world);
    }
    CASE(list)
    {
        if (me == 0)
            MPI_Gatherv(in, 1, MPI_DOUBLE, out, (int[]){1, 1, 1, 1}, (int[]){0, 1, 2, 3}, MPI_DOUBLE, 0, world);
        else
            MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, world);
    }
    CASE(receive)
    {
        if (me == 0)
            MPI_Bcast(in, 1, MPI_DOUBLE, 0, world);
        else
            MPI_Recv(in, 1, MPI_DOUBLE, 0, 0, world, MPI_STATUS_IGNORE);
    }
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    if (argc > 1) {
        returns(argv[1]);
        arguments(argv[1]);
    }
    MPI_Finalize();
    return 0;
}
