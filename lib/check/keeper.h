/* SPDX-License-Identifier: MIT */
/* Runs of the catalogue's algorithms are made on the prover's own thread: waking another one takes longer than most of
 * them.  This is the thread that watches the time instead.
 *
 *   thread   all calls are of the thread that makes the runs */
#ifndef LIB_CHECK_KEEPER_H
#define LIB_CHECK_KEEPER_H

#include "lib/machine/machine.h"

/* Have the time of this thread's runs watched, so many seconds for each, if that can be (keeper_there). */
void keeper_begin(double seconds);
bool keeper_there(void);
void keeper_end(void);

/* This machine runs from now on; NULL: no machine does.  Nothing when nobody watches. */
void keeper_watch(struct peal_machine *machine);

#endif
