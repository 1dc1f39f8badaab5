/* SPDX-License-Identifier: MIT */
/* The calls of the program that posted messages. */
#pragma once

#include "lib/base/private.h"
#include "lib/machine/site.h"
#include <peal/author.h>
#include <peal/observe.h>

/* Keep the calls that posted each transfer, from the next run on; on the engine mpi nothing is kept.
 *
 *   thread   not during a run
 *   errors   PEAL_RESOURCES without memory                                                  */
PEAL_PRIVATE enum peal_status peal_machine_keep_callers(struct peal_machine *machine, struct peal_error *error);

/* Those of the last run, as far as it got; NULL: they were not kept, or there was no memory for them.  owner: the
 * machine, until its next run; names of calls belong to the program. */
PEAL_PRIVATE const struct peal_callers *peal_machine_callers(const struct peal_machine *machine);

/* The collectives that were called, for runs that keep callers.  owner: as of callers */
PEAL_PRIVATE struct peal_collective_calls peal_machine_collectives(struct peal_machine *machine);

/* Write "MPI_Bcast by binomial at prog.c:12" into text (of `bytes` bytes) and return text. */
PEAL_PRIVATE char *peal_caller_text(const struct peal_caller *caller, char *text, size_t bytes);

/* Note what posted the round's transfers; forget the last run's; free them. */
void callers_see(struct peal_machine *machine);
/* Note that the node's group calls a collective; gives its number, from 1 on, or 0 where none are kept. */
uint32_t callers_call(const struct peal_node *me, const struct peal_call *call);
/* Note that rounds first .. last of the schedule carry messages of the collective that this node calls. */
void callers_use(struct peal_machine *machine, int rank, size_t first, size_t last);
void callers_begin(struct peal_machine *machine);
void callers_fini(struct peal_machine *machine);
