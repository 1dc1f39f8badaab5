/* SPDX-License-Identifier: MIT */
/* What a machine has of its host. */
#pragma once

#include "lib/base/private.h"
#include <peal/machine.h>

/* The number of threads that the system allows this process (a machine of threads has one for each node), and in *name,
 * unless name is NULL, the limit's name; -1 when none was found. */
PEAL_PRIVATE long peal_threads_allowed(const char **name);

/* The name of the engine of a machine made from these options: that which "auto" chooses. */
PEAL_PRIVATE const char *peal_engine_of(const struct peal_options *options);

/* The number of processes of the machine: 1, or on the engine mpi one for each node. */
PEAL_PRIVATE int peal_machine_processes(const struct peal_machine *machine);

/* Whether all its processes run on one host, with one clock. */
bool machine_has_one_clock(const struct peal_machine *machine);

/* Whether output of the last run's nodes was lost: the errno of the first write that failed; 0: none was lost. */
PEAL_PRIVATE int peal_machine_output_error(const struct peal_machine *machine);

/* The number of collectives of the last run that its rounds carried out: see lib/score/score.h. */
PEAL_PRIVATE uint64_t peal_machine_played(const struct peal_machine *machine);

/* Nothing looks into the stack of a node that is parked, in the next runs, or something may: no message is sent or
 * received there, and no node has strands, meets or splits. */
void machine_stacks_apart(struct peal_machine *machine, bool apart);

/* From how many nodes on they take turns on one stack then; tests change it. */
PEAL_PRIVATE extern int peal_packed_from;

/* How many memory maps the system allows a process; -1: unknown. */
long maps_allowed(void);
