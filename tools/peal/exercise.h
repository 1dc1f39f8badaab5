/* SPDX-License-Identifier: MIT */
/* What the options say of a collective: with what it is called, and how large. */
#ifndef PEAL_EXERCISE_H
#define PEAL_EXERCISE_H

#include "options.h"
#include <peal/collective.h>

/* The exercise that is asked for, but for its size, algorithm, input and output.  owner: borrows the request's lists */
struct peal_exercise exercise_of(const struct request *request, enum peal_collective collective);

/* Work out m of a collective of blocks or n of one of vectors, from -m, -n, or what is usual.
 *
 *   errors   PEAL_USAGE when -m and -n do not agree, or cannot be                              */
enum peal_status exercise_size(const struct request *request, enum peal_collective collective, size_t *words,
                               struct peal_error *error);

/* Say on stderr which options this collective makes no use of. */
void exercise_notes(const struct request *request, enum peal_collective collective);

#endif
