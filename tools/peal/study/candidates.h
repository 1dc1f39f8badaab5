/* SPDX-License-Identifier: MIT */
/* The algorithms that the arguments of a command name. */
#pragma once

#include "options/options.h"

/* Find the collective and the algorithms that the arguments name: COLLECTIVE for all, or COLLECTIVE/ALGORITHM...; then
 * the function of --file.
 *
 *   owner    the caller frees it with peal_candidates_fini, also after an error
 *   errors   PEAL_USAGE for an unknown algorithm, or algorithms of several collectives      */
enum peal_status candidates_find(struct candidates *candidates, const struct command_request *request,
                                 struct peal_error *error);

/* Find the arguments of a collective on this machine: `network` is borrowed, `words` are m or n.  errors: as of
 * peal_exercise_situation */
enum peal_status situation_find(const struct command_request *request, enum peal_collective collective,
                                const struct peal_network *network, size_t words, struct peal_situation *situation,
                                struct peal_error *error);
