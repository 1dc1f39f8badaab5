/* SPDX-License-Identifier: MIT */
/* Buffers that were variables of functions which have returned, and buffers that still are. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, P, next, before;
static MPI_Comm world = MPI_COMM_WORLD;
static double in[64], out[64], kept;
static MPI_Request one, two;
static MPI_Win w;

struct cell {
    double mass, speed[3];
};

/* Use the stack, as other functions do. */
static double
work(int n)
{
    volatile double a[128];

    for (int i = 0; i < 128; i++)
        a[i] = n + i;
    return a[n & 127];
}

static void
send_array(void)
{
    double v[8] = {1, 2, 3};

    MPI_Isend(v, 8, MPI_DOUBLE, next, 0, world, &one);
}

static void
send_value(double v)
{
    MPI_Isend(&v, 1, MPI_DOUBLE, next, 0, world, &one);
}

static void
send_cell(struct cell cell)
{
    cell.mass += 1;
    MPI_Issend(&cell, 4, MPI_DOUBLE, next, 0, world, &one);
}

static double
reduce(double mine)
{
    static double all;

    MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world, &one);
    return all;
}

static void
broadcast(void)
{
    double v[4] = {me, me, me, me};

    MPI_Ibcast(v, 4, MPI_DOUBLE, 0, world, &one);
}

static void
start(MPI_Request *request)
{
    double v[4] = {4, 3, 2, 1};

    MPI_Send_init(v, 4, MPI_DOUBLE, next, 0, world, request);
    MPI_Start(request);
}

static void
both(MPI_Request *r)
{
    int edge = me;

    MPI_Isend(&edge, 1, MPI_INT, next, 0, world, &r[0]);
    MPI_Isend(&edge, 1, MPI_INT, before, 1, world, &r[1]);
}

static void
nest(int depth)
{
    if (depth > 0)
        nest(depth - 1);
    else
        send_array();
}

static void
add(int rank)
{
    int step = 1;

    MPI_Accumulate(&step, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, w);
}

static void
request_put(int rank)
{
    double v[2] = {1, 2};

    MPI_Rput(v, 2, MPI_DOUBLE, rank, 4, 2, MPI_DOUBLE, w, &two);
}

static void
exchange(void)
{
    int counts[16], places[16];

    for (int i = 0; i < P; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    MPI_Ialltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, world, &one);
}

static void
end(void)
{
    kept += work(me + 3);
    MPI_Recv(in, 8, MPI_DOUBLE, before, 0, world, MPI_STATUS_IGNORE);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
}

static void
returned(const char *want)
{
    MPI_Request r[2];
    int ints[2];

#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(array) send_array(), end();
    CASE(value) send_value(me), end();
    CASE(cell) send_cell((struct cell){1, {2, 3, 4}}), end();
    CASE(nested) nest(3), end();
    CASE(persistent)
    {
        start(&one);
        end();
        MPI_Request_free(&one);
    }
    CASE(reduced)
    {
        kept += reduce(me) + work(1);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    CASE(broadcast)
    {
        broadcast();
        kept += work(2);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    CASE(lists)
    {
        exchange();
        kept += work(2);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    CASE(halo)
    {
        both(r);
        kept += work(5);
        MPI_Recv(&ints[0], 1, MPI_INT, before, 0, world, MPI_STATUS_IGNORE);
        MPI_Recv(&ints[1], 1, MPI_INT, next, 1, world, MPI_STATUS_IGNORE);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    CASE(loop)
    {
        for (int i = 0; i < 3; i++) {
            send_value(i);
            end();
        }
    }
}

static void
windows(const char *want)
{
    MPI_Win_create(out, sizeof out, 8, MPI_INFO_NULL, world, &w);
    MPI_Win_fence(0, w);
    CASE(accumulated) add(next), kept += work(3);
    CASE(twice) add(next), add(next), kept += work(3);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w);
    MPI_Win_lock_all(0, w);
    CASE(request)
    {
        request_put(next);
        kept += work(4);
        MPI_Wait(&two, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
}

/* These functions have not returned. */
static void
alive(const char *want)
{
    double v[8] = {1}, *heap = calloc(8, sizeof *heap);

    CASE(own)
    {
        MPI_Isend(v, 8, MPI_DOUBLE, next, 0, world, &one);
        v[7] = me + 1;
        end();
    }
    CASE(passed)
    {
        MPI_Isend(v, 8, MPI_DOUBLE, next, 0, world, &one);
        memset(v, 1, sizeof v);
        end();
    }
    CASE(allocated)
    {
        MPI_Isend(heap, 8, MPI_DOUBLE, next, 0, world, &one);
        heap[2] = 5;
        end();
    }
    CASE(global)
    {
        MPI_Isend(out, 8, MPI_DOUBLE, next, 0, world, &one);
        out[2] += 5;
        end();
    }
    kept += v[0];
    free(heap);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    next = (me + 1) % P;
    before = (me + P - 1) % P;
    if (argc > 1) {
        returned(argv[1]);
        windows(argv[1]);
        alive(argv[1]);
    }
    if (kept < 0)
        printf("%g\n", kept);
    MPI_Finalize();
    return 0;
}
