/* SPDX-License-Identifier: MIT */
/* Runs of the catalogue's algorithms are made on the prover's own thread: waking another one takes longer than most of
 * them.  This thread ends a run in time instead.
 *
 *   thread   all calls are made by the thread that makes the runs */
#pragma once

#include "lib/machine/machine.h"

/* Begin to limit the time of this thread's runs, to `seconds` each.  watchdog_there: whether the watchdog runs. */
void watchdog_begin(double seconds);
bool watchdog_there(void);
void watchdog_end(void);

/* Watch the machine that runs from now on; NULL: none.  Does nothing without a watchdog. */
void watchdog_watch(struct peal_machine *machine);
