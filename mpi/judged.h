/* SPDX-License-Identifier: MIT */
/* The calls of a user's function that peal check --mpi makes. */
#pragma once

#include "mpi/op.h"

struct peal_judged_calls;

/* Make the calls of one node: a peal_program_guest's `judges`.  The run is over. */
void judged_calls(struct peal_node *me, const struct peal_judged_calls *calls);
void judged_end(void);
