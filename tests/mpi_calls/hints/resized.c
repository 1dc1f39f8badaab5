/* SPDX-License-Identifier: MIT */
/* Columns of a matrix whose datatype has the extent of the whole. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int me, P;
static MPI_Comm world = MPI_COMM_WORLD;

static MPI_Datatype
committed(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype
column(int n)
{
    MPI_Datatype type;

    MPI_Type_vector(n, 1, n, MPI_DOUBLE, &type);
    return committed(type);
}

/* That column, made in other ways. */
static MPI_Datatype
made(const char *how, int n)
{
    MPI_Datatype type, other;
    int lengths[16], places[16];
    MPI_Aint offsets[16];

    for (int i = 0; i < n; i++) {
        lengths[i] = 1;
        places[i] = i * n;
        offsets[i] = (MPI_Aint)sizeof(double) * i * n;
    }
    if (strcmp(how, "indexed") == 0)
        MPI_Type_indexed(n, lengths, places, MPI_DOUBLE, &type);
    else if (strcmp(how, "indexed_block") == 0)
        MPI_Type_create_indexed_block(n, 1, places, MPI_DOUBLE, &type);
    else if (strcmp(how, "hindexed") == 0)
        MPI_Type_create_hindexed(n, lengths, offsets, MPI_DOUBLE, &type);
    else if (strcmp(how, "subarray") == 0)
        MPI_Type_create_subarray(2, (int[]){n, n}, (int[]){n, 1}, (int[]){0, 0}, MPI_ORDER_C, MPI_DOUBLE, &type);
    else if (strcmp(how, "fortran") == 0)
        MPI_Type_create_subarray(2, (int[]){n, n}, (int[]){1, n}, (int[]){0, 0}, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    else if (strcmp(how, "dup") == 0) {
        other = column(n);
        MPI_Type_dup(other, &type);
    } else
        return column(n);
    return committed(type);
}

static void
columns(const char *want, const char *how)
{
    int n = P, counts[16], places[16];
    double *x = calloc((size_t)(n * n), sizeof *x);
    double *a = calloc((size_t)(n * n), sizeof *a);
    MPI_Datatype type = made(how, n);
    MPI_Request r[2];

    for (int i = 0; i < n; i++) {
        counts[i] = 1;
        places[i] = i;
    }
#define CASE(name) if (strcmp(want, #name) == 0)
    CASE(scatter) MPI_Scatter(a, 1, type, x, n, MPI_DOUBLE, 0, world);
    CASE(gather) MPI_Gather(x, n, MPI_DOUBLE, a, 1, type, P - 1, world);
    CASE(allgather) MPI_Allgather(x, n, MPI_DOUBLE, a, 1, type, world);
    CASE(alltoall) MPI_Alltoall(a, 1, type, x, n, MPI_DOUBLE, world);
    CASE(scatterv) MPI_Scatterv(a, counts, places, type, x, n, MPI_DOUBLE, 0, world);
    CASE(gatherv) MPI_Gatherv(x, n, MPI_DOUBLE, a, counts, places, type, 0, world);
    CASE(iscatter)
    {
        MPI_Iscatter(a, 1, type, x, n, MPI_DOUBLE, 0, world, &r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    CASE(broadcast) MPI_Bcast(a, 2, type, 0, world);
    CASE(sent)
    {
        MPI_Irecv(x, 2 * n, MPI_DOUBLE, me, 0, world, &r[0]);
        MPI_Isend(a, 2, type, me, 0, world, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    CASE(received)
    {
        MPI_Irecv(a, 2, type, me, 0, world, &r[0]);
        MPI_Send(x, 2 * n, MPI_DOUBLE, me, 0, world);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    CASE(contiguous)
    {
        MPI_Datatype two;

        MPI_Type_contiguous(2, type, &two);
        MPI_Bcast(a, 1, committed(two), 0, world);
    }
    CASE(short_block) MPI_Scatter(x, 2 * n, MPI_DOUBLE, a, 2 * n, MPI_DOUBLE, 0, world);
    CASE(right_type) MPI_Scatter(a, n, MPI_DOUBLE, x, 1, type, 0, world);
    MPI_Type_free(&type);
    free(a);
    free(x);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    if (argc > 1) {
        char *how = strchr(argv[1], ':');

        if (how)
            *how++ = '\0';
        columns(argv[1], how ? how : "vector");
    }
    MPI_Finalize();
    return 0;
}
