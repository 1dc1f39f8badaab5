/* nodes: 1 2 3 8 13 */
/* SPDX-License-Identifier: MIT */
/* Every blocking collective that moves data, with MPI_IN_PLACE, and with blocks that lie apart. */
#include "check.h"

static int *out, *in, *counts, *displs, total;

static void
equal(void)
{
    int one = rank, got = -1;

    MPI_Bcast(&one, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    CHECK(one == size - 1);
    MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(in[i] == i);
    memset(in, -1, (size_t)size * sizeof *in);
    in[rank] = rank * 3;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(in[i] == i * 3);
    for (int i = 0; i < size; i++)
        out[i] = rank * size + i;
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(in[i] == i * size + rank);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(memcmp(in, out, (size_t)size * sizeof *in) == 0);
    MPI_Scatter(out, 1, MPI_INT, rank == size - 1 ? MPI_IN_PLACE : &got, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    CHECK(rank == size - 1 || got == rank * size + size - 1);
    in[0] = 0;
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : &rank, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; i++)
        CHECK(in[i] == i);
}

/* Node i has i + 1 numbers, which lie a gap apart. */
static void
unequal(void)
{
    int *mine = malloc((size_t)(rank + 1) * sizeof *mine);

    for (int i = 0; i <= rank; i++)
        mine[i] = rank * 1000 + i;
    memset(in, -1, (size_t)(total + size) * sizeof *in);
    MPI_Gatherv(mine, rank + 1, MPI_INT, in, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; i++)
        CHECK(in[displs[i]] == i * 1000 && in[displs[i] + i] == i * 1000 + i && (i == 0 || in[displs[i] - 1] == -1));
    MPI_Allgatherv(mine, rank + 1, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(in[displs[i]] == i * 1000 && in[displs[i] + i] == i * 1000 + i);
    memset(mine, -1, (size_t)(rank + 1) * sizeof *mine);
    MPI_Scatterv(in, counts, displs, MPI_INT, mine, rank + 1, MPI_INT, size / 2, MPI_COMM_WORLD);
    for (int i = 0; i <= rank; i++)
        CHECK(mine[i] == rank * 1000 + i);
    free(mine);
}

/* Node i sends j + 1 numbers to node j. */
static void
everybody(void)
{
    int *back = malloc((size_t)size * sizeof *back), *places = malloc((size_t)size * sizeof *places);
    MPI_Datatype *types = malloc((size_t)size * sizeof(MPI_Datatype));

    for (int i = 0; i < size; i++) {
        back[i] = rank + 1;
        places[i] = i * (rank + 1);
        types[i] = MPI_INT;
        for (int k = 0; k < counts[i]; k++)
            out[displs[i] + k] = rank * 100 + i;
    }
    MPI_Alltoallv(out, counts, displs, MPI_INT, in, back, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * (rank + 1); i++)
        CHECK(in[i] == i / (rank + 1) * 100 + rank);
    memset(in, -1, (size_t)(size * (rank + 1)) * sizeof *in);
    for (int i = 0; i < size; i++) {
        displs[i] *= (int)sizeof(int);
        places[i] *= (int)sizeof(int);
    }
    MPI_Alltoallw(out, counts, displs, types, in, back, places, types, MPI_COMM_WORLD);
    for (int i = 0; i < size * (rank + 1); i++)
        CHECK(in[i] == i / (rank + 1) * 100 + rank);
    free(types);
    free(places);
    free(back);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    counts = malloc((size_t)size * sizeof *counts);
    displs = malloc((size_t)size * sizeof *displs);
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = total + i;
        total += i + 1;
    }
    out = malloc((size_t)(total + size * size) * sizeof *out);
    in = malloc((size_t)(total + size * size) * sizeof *in);
    equal();
    unequal();
    everybody();
    MPI_Barrier(MPI_COMM_WORLD);
    free(in);
    free(out);
    free(displs);
    free(counts);
    MPI_Finalize();
    return 0;
}
