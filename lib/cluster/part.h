/* SPDX-License-Identifier: MIT */
/* Machines on a part of a job, and the machine of a lost job. */
#pragma once

#include "lib/base/private.h"
#include <peal/machine.h>

/* From now on machines have their nodes on the first `processes` of the job only; the others make none until
 * peal_mpi_widen.  True in those processes, and where there is no job or it has no more processes.
 *
 *   blocks   until all processes of the job have called; a waiting process sleeps */
PEAL_PRIVATE bool peal_mpi_narrow(int processes);

/* Machines have their nodes on all processes again.  Gives each the `code` that process 0 passed, so that all know how
 * its part ended; `code` itself where there is no job.
 *
 *   blocks   until all processes of the job have called; a waiting process sleeps */
PEAL_PRIVATE int peal_mpi_widen(int code);

/* The machine of a job that ended before node 0's process could report, for the documents of that run: it was not run,
 * and cannot be; its failure has this kind and message.
 *
 *   owner    the caller destroys it
 *   errors   NULL: as peal_machine_create                                                         */
PEAL_PRIVATE struct peal_machine *peal_mpi_lost(const struct peal_options *options, enum peal_failure_kind kind,
                                                const char *message, struct peal_error *error);
