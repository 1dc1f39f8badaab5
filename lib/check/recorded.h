/* SPDX-License-Identifier: MIT */
/* Runs of an algorithm, or of a function for MPI, whose messages are wanted. */
#pragma once

#include "lib/base/private.h"
#include <peal/check.h>
#include <peal/collective.h>

struct check_recorder;

/* Prepare runs of an algorithm, of the catalogue or loaded; NULL: of the check's function for MPI, which is compiled,
 * and loaded for up to `nodes` nodes.  NULL with *error.
 *
 *   owner    borrows all; peal_recorder_destroy frees
 *   thread   one at a time in a process, and none beside a check
 *   errors   PEAL_PROGRAM, PEAL_RESOURCES */
PEAL_PRIVATE struct check_recorder *peal_recorder_create(const struct peal_check *check, const char *algorithm,
                                                         int nodes, struct peal_error *error);

/* Run it once, with rendezvous and the ports that it needs; a function for MPI on elements of 8 bytes, where the
 * machine has words of one byte.
 *
 *   owner    the schedule is valid until the next run
 *   errors   PEAL_PROGRAM if the run is wrong; PEAL_RESOURCES */
PEAL_PRIVATE const struct peal_schedule *peal_recorder_run(struct check_recorder *recorder,
                                                           const struct peal_layout *layout, struct peal_error *error);
PEAL_PRIVATE void peal_recorder_destroy(struct check_recorder *recorder);
