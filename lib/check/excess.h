/* SPDX-License-Identifier: MIT */
/* The charge of a run, compared with its limits: those of the options, the lower bound, and the
 * closed form of an algorithm of the catalogue. */
#ifndef LIB_CHECK_EXCESS_H
#define LIB_CHECK_EXCESS_H

#include "lib/labels/vectors.h"

/* What is other than it may be. */
struct excess {
    enum peal_failure_kind kind; /* PEAL_EXCESS_ROUNDS or PEAL_EXCESS_WORDS */
    bool warning;                /* not asked for */
    bool asked;                  /* it is a limit that was asked for */
    bool more;                   /* it is more than it may be; of a closed form also less */
    int64_t most;                /* the limit */
    char message[sizeof((struct peal_finding *)0)->message];
};

enum { MOST_EXCESSES = 3 };

/* List what of the cost of a run is other than it may be, and give their number.  The run was of this case, on a machine in
 * this situation; `extra`: on a network, or charged in a way, for which only the closed form holds.
 *
 *   errors   PEAL_USAGE for a limit that is no expression, in error->status; what is listed was found before it */
int excess_find(const struct peal_check *check, const struct peal_check_case *c, const struct peal_situation *situation,
                const struct vectors *data, bool extra, struct peal_cost cost, struct excess excesses[MOST_EXCESSES],
                struct peal_error *error);

/* Whether the algorithm of the catalogue gives a closed form in this situation, and so promises that it can be run. */
bool excess_promised(const struct peal_check *check, struct peal_situation situation);

#endif
