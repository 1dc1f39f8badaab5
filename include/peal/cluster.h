/* SPDX-License-Identifier: MIT */
/* Beyond one machine: every node a process of an MPI job (Open MPI or MPICH).
 *
 * `peal run ... --engine mpi` needs none of this.  A program of one's own that is started by mpirun or srun calls
 * peal_mpi_begin first; then every process makes the same machines, with the engine "mpi", and the same runs.  Node 0's
 * process has the cost and the schedule, all have the verdict. */
#ifndef PEAL_CLUSTER_H
#define PEAL_CLUSTER_H

#include <peal/machine.h>

PEAL_BEGIN

/* Whether this process belongs to an MPI job, by its environment. */
PEAL_API bool peal_mpi_in_job(void);

/* The i-th MPI that this Peal was built for, "openmpi", "mpich"; NULL after the last. */
PEAL_API const char *peal_mpi_built(int i);

/* Begin MPI, unless the program has, with the library that PEAL_MPI names, or else the one whose launcher started
 * the process.  Gives the process's rank and the number of processes.  Once in a process; later calls give the same
 * numbers.
 *
 *   blocks   until all processes of the job have called
 *   errors   PEAL_USAGE when Peal was built without MPI (names the package); PEAL_RESOURCES when MPI does not begin */
PEAL_API enum peal_status peal_mpi_begin(int *rank, int *size, struct peal_error *error);

/* Begin, as peal_mpi_begin does, on the processes of *communicator only, an MPI_Comm of the calling program, which has
 * begun MPI: machines have their nodes there, ranked as it ranks them.  Peal's messages travel on duplicates of it, so
 * the program's own traffic and Peal's never meet.
 *
 *   owner    borrows the communicator until peal_mpi_end */
PEAL_API enum peal_status peal_mpi_begin_on(const void *communicator, int *rank, int *size, struct peal_error *error);

/* End MPI if peal_mpi_begin began it. */
PEAL_API void peal_mpi_end(void);

/* The version text of the MPI library in use; NULL before peal_mpi_begin. */
PEAL_API const char *peal_mpi_library(void);

PEAL_END

#endif
