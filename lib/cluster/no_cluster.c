/* SPDX-License-Identifier: MIT */
/* A build without processes joins no MPI job: the engine mpi is unknown to it. */
#include "lib/base/left_out.h"
#include "lib/cluster/part.h"
#include <peal/cluster.h>

static enum peal_status
refuse(struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "this build has no MPI jobs (processes are left out of it)");
}

LEFT_OUT_GIVES(false, bool, peal_mpi_in_job, void);
LEFT_OUT_GIVES(NULL, const char *, peal_mpi_built, int i);

enum peal_status
peal_mpi_begin(int *rank, int *size, struct peal_error *error)
{
    *rank = 0;
    *size = 1;
    return refuse(error);
}

LEFT_OUT_GIVES(peal_mpi_begin(rank, size, error), enum peal_status, peal_mpi_begin_on, const void *communicator,
               int *rank, int *size, struct peal_error *error);
LEFT_OUT(peal_mpi_end, void);
LEFT_OUT_GIVES(NULL, const char *, peal_mpi_library, void);
LEFT_OUT_GIVES(true, bool, peal_mpi_narrow, int processes);
LEFT_OUT_GIVES(code, int, peal_mpi_widen, int code);
LEFT_OUT_GIVES((refuse(error), NULL), struct peal_machine *, peal_mpi_lost, const struct peal_options *options,
               enum peal_failure_kind kind, const char *message, struct peal_error *error);
