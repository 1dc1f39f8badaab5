/* SPDX-License-Identifier: MIT */
/* Ending a run from outside. */
#pragma once

#include <peal/machine.h>

/* End the run of a machine that `runs_here`, as one that timed out: it fails with `timeout`.  This call or a later one
 * interrupts a node that still computes.
 *
 *   thread   another one than the machine's, during the run */
void machine_expire(struct peal_machine *machine);
