/* SPDX-License-Identifier: MIT */
/* The memory that the run of a collective takes. */
#pragma once

#include "lib/base/private.h"
#include "lib/machine/room.h"
#include <peal/form.h>

/* Estimate the memory of a run of the algorithm in this situation, whose parameter is filled in, on a machine made
 * from these options: the machine's own, all nodes' data and what the algorithm allocates besides it.  It is at least
 * what such a run was measured to take, and at most four times it (tests/algorithms/estimate_test.c). */
PEAL_PRIVATE struct room peal_run_room(const struct peal_options *options, const struct peal_situation *situation,
                                       const struct peal_algorithm *algorithm);

/* Refuse a run for which there is no room, naming the words, or else the nodes, that fit.  errors: PEAL_RESOURCES */
PEAL_PRIVATE enum peal_status peal_run_fits(const struct peal_options *options, const struct peal_situation *situation,
                                            const struct peal_algorithm *algorithm, struct peal_error *error);

/* Whether each node holds the data of all, and that is much in total: only a run that names its algorithm does so.
 * Then `text` says why. */
PEAL_PRIVATE bool peal_run_holds_all(const struct peal_options *options, const struct peal_situation *situation,
                                     const struct peal_algorithm *algorithm, char *text, size_t bytes);
