/* SPDX-License-Identifier: MIT */
/* The calls of a user's function that peal check --mpi makes. */
#pragma once

#include "mpi/op.h"

struct peal_judged_calls;

/* Make the calls of one node: a peal_program_guest's `judges`.  The run is over. */
void judged_calls(struct peal_node *me, const struct peal_judged_calls *calls);
void judged_end(void);

/* Whether the data of the run are not stored, so that long copies need not be made. */
extern bool judged_unstored;

/* What combines elements that are labels, by any of MPI's own operators; NULL: they are not labels. */
combiner judged_combiner(size_t element_bytes);
