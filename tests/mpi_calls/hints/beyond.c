/* SPDX-License-Identifier: MIT */
/* Data that end behind their block by where they begin, or by the stride of their datatype; a receive that the sender
 * makes, too; a dimension counted from 1. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int me, P;
static MPI_Comm world = MPI_COMM_WORLD;

static void
halo(int cells)
{
    double *u = calloc((size_t)cells + 2, sizeof *u);

    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, (me + P - 1) % P, 0, &u[cells + 2], 1, MPI_DOUBLE, (me + 1) % P, 0, world,
                 MPI_STATUS_IGNORE);
    free(u);
}

static void
counted_from_1(void)
{
    int mine[2] = {me, me}, *all = calloc((size_t)P, sizeof mine), counts[64], displs[64];

    for (int i = 0; i < P; i++)
        counts[i] = 2, displs[i] = 2 * i + 1;
    MPI_Gatherv(mine, 2, MPI_INT, all, counts, displs, MPI_INT, 0, world);
    free(all);
}

static void
stride(int rows, int columns)
{
    double *a = calloc((size_t)(rows * columns), sizeof *a);
    MPI_Datatype column;

    MPI_Type_vector(rows, 1, rows, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Bcast(a, 1, column, 0, world);
    MPI_Type_free(&column);
    free(a);
}

int
main(int argc, char **argv)
{
    const char *want = argc > 1 ? argv[1] : "";
    int x = 0, from, to;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    if (strcmp(want, "halo") == 0) {
        halo(8);
    } else if (strcmp(want, "displs") == 0) {
        counted_from_1();
    } else if (strcmp(want, "stride") == 0) {
        stride(6, 4);
    } else if (strcmp(want, "no_else") == 0) {
        if (me == 0)
            MPI_Send(&x, 1, MPI_INT, 1, 0, world);
        MPI_Recv(&x, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    } else if (strcmp(want, "direction") == 0) {
        MPI_Comm grid;

        MPI_Cart_create(world, 1, &P, &(int){1}, 0, &grid);
        MPI_Cart_shift(grid, 1, 1, &from, &to);
        MPI_Comm_free(&grid);
    }
    MPI_Finalize();
    return 0;
}
