/* SPDX-License-Identifier: MIT */
/* Partners out of range in loops over distances, over ranks, and in trees. */
#include <mpi.h>
#include <string.h>

static int me, P, x, y;
static MPI_Comm world = MPI_COMM_WORLD;
static MPI_Request r[8];

struct hop {
    int distance, target;
};

static void
send(int to)
{
    MPI_Send(&x, 1, MPI_INT, to, 0, world);
}

static void
receive(int from)
{
    MPI_Recv(&y, 1, MPI_INT, from, 0, world, MPI_STATUS_IGNORE);
}

/* Send to one node, and receive from another if it is there. */
static void
pass(int to, int from)
{
    MPI_Isend(&x, 1, MPI_INT, to, 0, world, r);
    if (from >= 0 && from < P)
        receive(from);
    MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void
distances(const char *want)
{
    struct hop hops[16];
    int n = 0;

#define CASE(name) if (strcmp(want, #name) == 0)
#define DOUBLING for (int d = 1; d < P; d *= 2)
    CASE(scan) DOUBLING pass(me + d, me - d);
    CASE(scan_down) DOUBLING pass(me - d, me + d);
    CASE(halving)
    {
        for (int d = P / 2; d > 0; d /= 2)
            pass(me + d, me - d);
    }
    CASE(tripling)
    {
        for (int d = 1; d < P; d *= 3)
            pass(me + d, (me + P - d) % P);
    }
    CASE(steps)
    {
        for (int s = 1; s < P; s++)
            pass(me + s, (me - s + P) % P);
    }
    CASE(steps_back)
    {
        for (int s = P - 1; s > 0; s--)
            pass(me + s, (me - s + P) % P);
    }
    CASE(table)
    {
        DOUBLING hops[n++] = (struct hop){d, me + d};
        for (int i = 0; i < n; i++)
            pass(hops[i].target, (me - hops[i].distance + P) % P);
    }
    CASE(rows)
    {
        for (int k = 1; k < P / 2; k++)
            pass(me + k * 2, (me - k * 2 + P * 2) % P);
    }
    CASE(remainder) DOUBLING
    {
        MPI_Irecv(&y, 1, MPI_INT, (me - d) % P, 0, world, r);
        send((me + d) % P);
        MPI_Wait(r, MPI_STATUS_IGNORE);
    }
    CASE(offsets)
    {
        const int by[] = {1, 2, -1, -2};

        for (int i = 0; i < 4; i++)
            MPI_Irecv(&y, 1, MPI_INT, me - by[i], i, world, &r[i]);
        for (int i = 0; i < 4; i++)
            send(me + by[i]);
        MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    }
}

static void
trees(const char *want)
{
    CASE(broadcast) DOUBLING
    {
        if (me < d)
            send(me + d);
        else if (me < 2 * d)
            receive(me - d);
    }
    CASE(reduction) DOUBLING
    {
        if (me % (2 * d) > 0) {
            send(me - d);
            break;
        }
        receive(me + d);
    }
    CASE(fold)
    {
        if (me < P / 2)
            send(me + P / 2 + 1);
        else
            receive(me - P / 2);
    }
    CASE(all)
    {
        for (int p = 0; p <= P; p++)
            if (p != me)
                pass(p, -1);
    }
    CASE(children)
    {
        if (me > 0)
            receive((me - 1) / 3);
        for (int c = 3 * me + 1; c <= 3 * me + 3; c++)
            send(c);
    }
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    if (argc > 1) {
        distances(argv[1]);
        trees(argv[1]);
    }
    MPI_Finalize();
    return 0;
}
