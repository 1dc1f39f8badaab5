/* SPDX-License-Identifier: MIT */
/* What Peal's own interface has besides the calls, for shared objects that pealcc has linked. */
#include "mpi/process/client.h"

COPIES(peal_mpi_comm_dup_fn, MPI_Comm)
COPIES(peal_mpi_type_dup_fn, MPI_Datatype)
COPIES(peal_mpi_win_dup_fn, MPI_Win)

/* Peal does not see what a process computes. */
int
peal_mpi_sample_begin(int runs)
{
    (void)runs;
    return 1;
}

int
peal_mpi_sample_end(void)
{
    return 0;
}

void
peal_mpi_compute(long long operations)
{
    (void)operations;
}
