/* SPDX-License-Identifier: MIT */
/* Other algorithms in a recorded run. */
#pragma once

#include "lib/base/private.h"
#include <peal/trace.h>

/* By collective: the algorithm ("chain:16") that its calls take; NULL: the recorded one. */
struct replacement {
    const char *algorithms[PEAL_COLLECTIVES];
};

struct replaced {
    size_t calls, kept; /* calls that take another algorithm; those that it does not fit, or that lack data */
    char why[200];      /* for the last call that was kept */
};

/* Give the recorded run with other algorithms, on its machine and charged again.  Calls with a list of lengths stay.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   PEAL_RESOURCES; PEAL_USAGE when a round is too large to count */
PEAL_PRIVATE struct peal_record *peal_record_replace(const struct peal_record *record, const struct replacement *choice,
                                                     struct replaced *replaced, struct peal_error *error);
