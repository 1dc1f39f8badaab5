/* SPDX-License-Identifier: MIT */
/* Answers of waits and tests that the standard leaves open, where a run is one of several that try them all
 * (peal_picks). */
#pragma once

#include "mpi/mpi_request.h"

/* Pick among the requests of a call, of which NULL are not there: those not picked are NULL in the list afterwards.
 * False, where `tests`: none is complete yet.  `came`, unless NULL: what came for the first of them. */
bool pick(struct mpi *mpi, struct mpi_request **list, int count, enum peal_pick_kind kind, bool tests,
          struct peal_envelope *came);

/* Test one request, which is left, and handles: whether all of them are complete. */
bool pick_one(struct mpi *mpi, struct mpi_request *request, struct peal_envelope *came);
bool pick_handles(struct mpi *mpi, const struct peal_handle *handles, int count);
