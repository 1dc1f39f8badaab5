/* SPDX-License-Identifier: MIT */
/* Runs of a function for MPI whose messages are wanted. */
#pragma once

#include "lib/base/private.h"
#include <peal/check.h>
#include <peal/cost.h>

struct check_recorder;

/* Compile the function and load it for up to `nodes` nodes; NULL with *error.
 *
 *   owner    borrows the check; peal_recorder_destroy frees
 *   thread   one at a time in a process, and none beside a check
 *   errors   PEAL_PROGRAM, PEAL_RESOURCES */
PEAL_PRIVATE struct check_recorder *peal_recorder_create(const struct peal_check *check, int nodes,
                                                         struct peal_error *error);

/* Run it once, with rendezvous and one port, on elements of 8 bytes; a machine for MPI has words of one byte.
 *
 *   owner    the schedule is valid until the next run
 *   errors   PEAL_PROGRAM if the run is wrong; PEAL_RESOURCES */
PEAL_PRIVATE const struct peal_schedule *peal_recorder_run(struct check_recorder *recorder, int nodes, int root,
                                                           size_t words, struct peal_error *error);
PEAL_PRIVATE void peal_recorder_destroy(struct check_recorder *recorder);
