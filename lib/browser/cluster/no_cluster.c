/* SPDX-License-Identifier: MIT */
/* A build without processes joins no MPI job: the engine mpi is unknown to it. */
#include "lib/cluster/part.h"
#include <peal/cluster.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

static enum peal_status
no_job_refuse(struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "this build has no MPI jobs (processes are left out of it)");
}

bool peal_mpi_in_job(void) { return false; }
const char *peal_mpi_built(int i) { return NULL; }

enum peal_status
peal_mpi_begin(int *rank, int *size, struct peal_error *error)
{
    *rank = 0;
    *size = 1;
    return no_job_refuse(error);
}

enum peal_status peal_mpi_begin_on(const void *communicator, int *rank, int *size, struct peal_error *error)
{ return peal_mpi_begin(rank, size, error); }
void peal_mpi_end(void) {}
const char *peal_mpi_library(void) { return NULL; }
bool peal_mpi_narrow(int processes) { return true; }
int peal_mpi_widen(int code) { return code; }
struct peal_machine *peal_mpi_lost(const struct peal_options *options, enum peal_failure_kind kind,
                                   const char *message, struct peal_error *error) { no_job_refuse(error); return NULL; }
