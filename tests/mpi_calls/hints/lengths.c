/* SPDX-License-Identifier: MIT */
/* Messages longer than their receives: by counts, by datatypes, by counts in bytes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int me, P, ints[64], *more;
static MPI_Comm world = MPI_COMM_WORLD;
static double doubles[64];

static void
put(const void *data, int count, MPI_Datatype type)
{
    if (me == 0)
        MPI_Send(data, count, type, 1, 3, world);
}

static void
get(void *data, int count, MPI_Datatype type)
{
    if (me == 1)
        MPI_Recv(data, count, type, 0, 3, world, MPI_STATUS_IGNORE);
}

static MPI_Datatype
pairs(void)
{
    MPI_Datatype type;

    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void
counts(const char *want)
{
    MPI_Request r;
    MPI_Status status;
    int n = 0;

#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(more) put(ints, 10, MPI_INT), get(ints, 8, MPI_INT);
    CASE(rest) put(doubles, 64 % 7 + 9, MPI_DOUBLE), get(doubles, 64 / 7, MPI_DOUBLE);
    CASE(none) put(ints, 1, MPI_INT), get(NULL, 0, MPI_INT);
    CASE(wait)
    {
        if (me == 1)
            MPI_Irecv(ints, 3, MPI_INT, 0, 3, world, &r);
        put(ints, 4, MPI_INT);
        if (me == 1)
            MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    CASE(any)
    {
        put(doubles, 5, MPI_DOUBLE);
        if (me == 1)
            MPI_Recv(doubles, 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    }
    CASE(sendrecv)
    {
        MPI_Sendrecv(ints, me == 0 ? 5 : 4, MPI_INT, 1 - me, 0, ints + 32, me == 0 ? 5 : 4, MPI_INT, 1 - me, 0, world,
                     MPI_STATUS_IGNORE);
    }
    CASE(probed)
    {
        put(ints, 6, MPI_INT);
        if (me == 1) {
            MPI_Probe(0, 3, world, &status);
            MPI_Get_count(&status, MPI_DOUBLE, &n);
            MPI_Recv(doubles, n, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);
        }
    }
    CASE(persistent)
    {
        if (me == 0)
            MPI_Send_init(ints, 9, MPI_INT, 1, 3, world, &r);
        else
            MPI_Recv_init(ints, 7, MPI_INT, 0, 3, world, &r);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Request_free(&r);
    }
    CASE(gathered)
    {
        MPI_Gather(ints, me == 1 ? 3 : 2, MPI_INT, more, 2, MPI_INT, 0, world);
    }
    CASE(gathered_v)
    {
        MPI_Gatherv(ints, 2 + me, MPI_INT, more, (int[]){2, 2}, (int[]){0, 2}, MPI_INT, 0, world);
    }
    CASE(scattered)
    {
        MPI_Scatter(more, 4, MPI_INT, ints, me == 0 ? 4 : 3, MPI_INT, 0, world);
    }
    CASE(exchanged)
    {
        int own[2] = {1, 1 + me}, theirs[2] = {1, 1};

        MPI_Alltoallv(ints, own, (int[]){0, 8}, MPI_INT, more, theirs, (int[]){0, 8}, MPI_INT, world);
    }
}

static void
datatypes(const char *want)
{
    MPI_Datatype two = pairs();
    char bytes[64];
    int at = 0;

    CASE(halves) put(doubles, 3, MPI_DOUBLE), get(doubles, 3, MPI_FLOAT);
    CASE(long_ints) put(doubles, 3, MPI_LONG), get(ints, 3, MPI_INT);
    CASE(int_of_short) put(ints, 3, MPI_INT), get(ints, 3, MPI_SHORT);
    CASE(chars) put(ints, 4, MPI_INT), get(ints, 4, MPI_CHAR);
    CASE(bytes) put(ints, 16, MPI_INT), get(ints, 16, MPI_BYTE);
    CASE(size_of) put(ints, 4 * (int)sizeof(int), MPI_INT), get(ints, 4, MPI_INT);
    CASE(of_pairs) put(ints, 4, two), get(ints, 4, MPI_INT);
    CASE(pair_of_pairs) put(ints, 5, two), get(ints, 4, two);
    CASE(valued) put(doubles, 2, MPI_DOUBLE_INT), get(doubles, 2, MPI_DOUBLE);
    CASE(packed)
    {
        MPI_Pack(ints, 4, MPI_INT, bytes, sizeof bytes, &at, world);
        put(bytes, at, MPI_PACKED);
        get(ints, 3, MPI_INT);
    }
    CASE(other_type_fewer) put(doubles, 2, MPI_DOUBLE), get(ints, 3, MPI_INT);
    MPI_Type_free(&two);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    more = calloc(256, sizeof *more);
    if (argc > 1) {
        counts(argv[1]);
        datatypes(argv[1]);
    }
    free(more);
    MPI_Finalize();
    return 0;
}
