/* SPDX-License-Identifier: MIT */
/* The options of a collective: its arguments and its size. */
#ifndef PEAL_EXERCISE_H
#define PEAL_EXERCISE_H

#include "options/options.h"
#include <peal/collective.h>

/* The requested exercise, without its size, algorithm, input and output.  owner: borrows the request's lists */
struct peal_exercise exercise_of(const struct command_request *request, enum peal_collective collective);

/* Work out m of a collective of blocks or n of one of vectors, from -m, -n or the default.
 *
 *   errors   PEAL_USAGE when -m and -n disagree or are out of range                              */
enum peal_status exercise_size(const struct command_request *request, enum peal_collective collective, size_t *words,
                               struct peal_error *error);

/* Report on stderr the options that this collective does not use. */
void exercise_notes(const struct command_request *request, enum peal_collective collective);

#endif
