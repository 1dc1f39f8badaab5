/* SPDX-License-Identifier: MIT */
/* Waiting for the end of a run, and ending it from outside. */
#pragma once

#include <peal/machine.h>

struct time_spent;

/* End the run of a machine that `runs_here`, as one that timed out: it fails with `timeout`.  This call or a later one
 * interrupts a node that still computes.
 *
 *   thread   another one than the machine's, during the run */
void machine_expire(struct peal_machine *machine);

/* Wait for the end of a run, which has used nothing of its time limit when it begins; meanwhile spread long phases, and
 * end the run when its time is up. */
void machine_watch(struct peal_machine *machine, struct time_spent spent);
