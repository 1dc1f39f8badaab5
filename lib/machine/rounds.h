/* SPDX-License-Identifier: MIT */
/* Making rounds. */
#pragma once

#include <peal/machine.h>

/* Make rounds until some nodes can run: they are in runnable[], by rank.  false when the run is over. */
bool rounds_next(struct peal_machine *machine);
