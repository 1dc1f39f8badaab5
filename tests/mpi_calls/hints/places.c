/* SPDX-License-Identifier: MIT */
/* MPI_IN_PLACE where a buffer is read, or where a call does not take it, and NULL in its place. */
#include <mpi.h>
#include <string.h>

enum { WORDS = 4 };

static int me, P;
static MPI_Comm world = MPI_COMM_WORLD;

struct point {
    double x, y;
    int kind;
};

static void
shifted(const double *in, double *out)
{
    for (int i = 0; i < WORDS; i++)
        out[i] = in[i] + 1;
    MPI_Allreduce(MPI_IN_PLACE, out, WORDS, MPI_DOUBLE, MPI_SUM, world);
}

static void
reversed(const double *in, double *out)
{
    for (int i = WORDS - 1; i >= 0; i--)
        out[i] = in[i];
    MPI_Allreduce(MPI_IN_PLACE, out, WORDS, MPI_DOUBLE, MPI_MAX, world);
}

static void
moved(const void *in, void *out, size_t bytes)
{
    memmove(out, in, bytes);
    MPI_Bcast(out, (int)bytes, MPI_BYTE, 0, world);
}

static void
of_kind(const struct point *in, double *out)
{
    out[0] = in->kind;
    MPI_Bcast(out, 1, MPI_DOUBLE, 0, world);
}

static void
begun(const float *in, double *out)
{
    if (in[0] > 0)
        out[0] = in[0];
    MPI_Barrier(world);
}

static void
used(const char *want, void *in, double *out)
{
    char packed[200];
    int at = 0;
    MPI_Request r;

#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(shifted) shifted(in, out);
    CASE(reversed) reversed(in, out);
    CASE(moved) moved(in, out, WORDS * sizeof *out);
    CASE(kind) of_kind(in, out);
    CASE(begun) begun(in, out);
    CASE(last) out[0] = ((const int *)in)[9];
    CASE(character) out[0] = ((const char *)in)[0];
    CASE(sent) MPI_Send(in, WORDS, MPI_DOUBLE, me ^ 1, 0, world);
    CASE(started)
    {
        MPI_Isend(in, WORDS, MPI_DOUBLE, me ^ 1, 0, world, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    CASE(exchanged)
    {
        MPI_Sendrecv(in, WORDS, MPI_DOUBLE, me ^ 1, 0, out, WORDS, MPI_DOUBLE, me ^ 1, 0, world, MPI_STATUS_IGNORE);
    }
    CASE(combined) MPI_Reduce_local(in, out, WORDS, MPI_DOUBLE, MPI_SUM);
    CASE(packed) MPI_Pack(in, WORDS, MPI_DOUBLE, packed, sizeof packed, &at, world);
    CASE(reduced) MPI_Reduce(in, out, WORDS, MPI_DOUBLE, MPI_SUM, 0, world);
    CASE(gathered) MPI_Gather(in, WORDS, MPI_DOUBLE, out, WORDS, MPI_DOUBLE, 0, world);
    CASE(scattered) MPI_Scatter(out, WORDS, MPI_DOUBLE, in, WORDS, MPI_DOUBLE, 0, world);
    CASE(broadcast) MPI_Bcast(in, WORDS, MPI_DOUBLE, 0, world);
    CASE(result) MPI_Allgather(out, WORDS, MPI_DOUBLE, in, WORDS, MPI_DOUBLE, world);
    CASE(scanned) MPI_Scan(out, in, WORDS, MPI_DOUBLE, MPI_SUM, world);
}

int
main(int argc, char **argv)
{
    static double out[64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    if (argc > 1 && strncmp(argv[1], "null_", 5) == 0)
        used(argv[1] + 5, NULL, out);
    else if (argc > 1)
        used(argv[1], MPI_IN_PLACE, out);
    MPI_Finalize();
    return 0;
}
