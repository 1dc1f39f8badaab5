/* SPDX-License-Identifier: MIT */
/* Two reductions that differ only in whether the operator commutes (costs.py). */
#include <mpi.h>

static void
last(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

int
main(int argc, char **argv)
{
    int in[8] = {0}, out[8];
    MPI_Op op;

    MPI_Init(&argc, &argv);
    MPI_Op_create(last, 0, &op);
    MPI_Allreduce(in, out, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 8, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
