/* SPDX-License-Identifier: MIT */
/* Requests that nobody waits for: in loops, cancelled, of collectives, with buffers that have gone. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, WORDS = 4 };

static int me, P, next, before;
static MPI_Comm world = MPI_COMM_WORLD;
static double in[64], out[64], grid[8][8];

struct field {
    double *values;
    MPI_Request requests[2];
};

static void
swap_edges(struct field *f)
{
    MPI_Irecv(f->values, 1, MPI_DOUBLE, before, 0, world, &f->requests[0]);
    MPI_Isend(f->values + 1, 1, MPI_DOUBLE, next, 0, world, &f->requests[1]);
}

static MPI_Request
start(double *values, int to)
{
    MPI_Request request;

    MPI_Issend(values, WORDS, MPI_DOUBLE, to, 1, world, &request);
    return request;
}

static void
take(double *values, int tag)
{
    MPI_Recv(values, WORDS, MPI_DOUBLE, before, tag, world, MPI_STATUS_IGNORE);
}

static void
from_heap(void)
{
    double *values = calloc(WORDS, sizeof *values);
    MPI_Request request;

    MPI_Isend(values, WORDS, MPI_DOUBLE, next, 1, world, &request);
    take(in, 1);
}

static void
from_parameter(double value)
{
    MPI_Request request;

    MPI_Isend(&value, 1, MPI_DOUBLE, next, 1, world, &request);
    take(in, 1);
}

static void
from_struct(void)
{
    struct {
        double a, b, c, d;
    } all = {1, 2, 3, 4};
    MPI_Request request;

    MPI_Irecv(&all, WORDS, MPI_DOUBLE, before, 1, world, &request);
    MPI_Send(out, WORDS, MPI_DOUBLE, next, 1, world);
}

static void
loops(const char *want)
{
    MPI_Request one = MPI_REQUEST_NULL, r[2 * STEPS];
    struct field field = {.values = in};
    int step = 0, flag;

#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(struct_halo)
    {
        for (; step < STEPS; step++)
            swap_edges(&field);
    }
    CASE(waited_last)
    {
        for (; step < STEPS; step++)
            swap_edges(&field);
        MPI_Waitall(2, field.requests, MPI_STATUSES_IGNORE);
    }
    CASE(one_of_two)
    {
        for (; step < STEPS; step++) {
            swap_edges(&field);
            MPI_Wait(&field.requests[0], MPI_STATUS_IGNORE);
        }
    }
    CASE(tested_once)
    {
        while (step++ < STEPS) {
            swap_edges(&field);
            MPI_Testall(2, field.requests, &flag, MPI_STATUSES_IGNORE);
        }
    }
    CASE(rows)
    {
        for (; step < STEPS; step++) {
            MPI_Isend(grid[step], WORDS, MPI_DOUBLE, next, 1, world, &one);
            take(in, 1);
        }
    }
    CASE(returned)
    {
        do {
            one = start(out, next);
            take(in, 1);
        } while (++step < STEPS);
    }
    CASE(gathered)
    {
        if (me > 0)
            MPI_Send(out, 1, MPI_DOUBLE, 0, 2, world);
        else
            for (int i = 1; i < P; i++)
                MPI_Irecv(&in[i], 1, MPI_DOUBLE, i, 2, world, &one);
    }
    CASE(gathered_on_one)
    {
        if (me > 0)
            MPI_Send(out, 1, MPI_DOUBLE, 0, 2, world);
        else
            for (int i = 1; i < P; i++)
                MPI_Irecv(in, 1, MPI_DOUBLE, i, 2, world, &r[i]);
    }
    CASE(any_of_several)
    {
        for (; step < STEPS; step++) {
            MPI_Isend(grid[step], WORDS, MPI_DOUBLE, next, step, world, &r[step]);
            take(in, step);
        }
        MPI_Waitany(STEPS, r, &flag, MPI_STATUS_IGNORE);
    }
    CASE(short_waitall)
    {
        for (; step < STEPS; step++) {
            MPI_Irecv(grid[step], WORDS, MPI_DOUBLE, before, step, world, &r[2 * step]);
            MPI_Isend(out, WORDS, MPI_DOUBLE, next, step, world, &r[2 * step + 1]);
        }
        MPI_Waitall(STEPS, r, MPI_STATUSES_IGNORE);
    }
    CASE(reductions)
    {
        for (; step < STEPS; step++)
            MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, world, &one);
    }
    CASE(broadcasts)
    {
        for (; step < P; step++)
            MPI_Ibcast(in + step, 1, MPI_DOUBLE, step, world, &r[step]);
    }
}

static void
singles(const char *want)
{
    MPI_Request one = MPI_REQUEST_NULL, r[4];
    MPI_Win w;
    int flag;

    CASE(barrier) MPI_Ibarrier(world, &one);
    CASE(branch)
    {
        MPI_Isend(out, WORDS, MPI_DOUBLE, next, 1, world, &one);
        take(in, 1);
        if (me > 0)
            MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    CASE(buffered)
    {
        static char room[1000];

        MPI_Buffer_attach(room, sizeof room);
        MPI_Ibsend(out, WORDS, MPI_DOUBLE, next, 1, world, &one);
        take(in, 1);
    }
    CASE(heap) from_heap();
    CASE(parameter) from_parameter(me);
    CASE(local_struct) from_struct();
    CASE(cancelled)
    {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 100 + i, world, &r[i]);
        for (int i = 0; i < 3; i++)
            MPI_Cancel(&r[i]);
    }
    CASE(cancelled_send)
    {
        MPI_Issend(out, 1, MPI_DOUBLE, next, 100, world, &one);
        MPI_Cancel(&one);
    }
    CASE(cancelled_one)
    {
        MPI_Irecv(in, 1, MPI_DOUBLE, before, 100, world, &r[0]);
        MPI_Irecv(in + 8, 1, MPI_DOUBLE, before, 101, world, &r[1]);
        MPI_Cancel(&r[0]);
        MPI_Cancel(&r[1]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    CASE(server)
    {
        MPI_Irecv(in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &one);
        MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            MPI_Cancel(&one);
    }
    CASE(persistent)
    {
        MPI_Send_init(out, WORDS, MPI_DOUBLE, next, 1, world, &one);
        MPI_Start(&one);
        take(in, 1);
    }
    CASE(persistent_cancelled)
    {
        MPI_Recv_init(in, 1, MPI_DOUBLE, before, 100, world, &one);
        MPI_Start(&one);
        MPI_Cancel(&one);
    }
    CASE(put)
    {
        MPI_Win_create(in, sizeof in, 8, MPI_INFO_NULL, world, &w);
        MPI_Win_lock_all(0, w);
        for (int i = 0; i < STEPS; i++)
            MPI_Rput(out, 1, MPI_DOUBLE, next, i, 1, MPI_DOUBLE, w, &one);
        MPI_Win_unlock_all(w);
        MPI_Win_free(&w);
    }
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
        loops(argv[1]);
        singles(argv[1]);
    }
    MPI_Finalize();
    return 0;
}
