/* SPDX-License-Identifier: MIT */
/* The charge of a run, compared with its limits: the options', the lower bound, and, for an algorithm of the catalogue,
 * its closed form. */
#pragma once

#include "lib/check/sent.h"
#include "lib/labels/vectors.h"

/* A coefficient out of its limit. */
struct excess {
    enum peal_failure_kind kind; /* PEAL_EXCESS_ROUNDS, ... */
    enum peal_severity severity; /* a warning: the limit was not requested */
    bool asked;                  /* it is a requested limit */
    bool more;                   /* it exceeds the limit; for a closed form it may also be less */
    int64_t most;                /* the limit */
    char message[sizeof((struct peal_finding *)0)->message];
};

enum { MAX_EXCESSES = 5 };

/* Whether the check has a limit. */
static inline bool
excess_limited(const struct peal_check *check)
{
    return check->max_rounds || check->max_words || check->max_hops || check->max_messages;
}

/* List the coefficients of a run's cost that are out of their limits, and return their number.  The run was of this
 * case, on a machine in this situation; `extra`: on a network, or charged in a way, for which only the closed form
 * counts.
 *
 *   errors   PEAL_USAGE for a limit that is not a valid expression, in error->status; the list then ends before it */
int excess_find(const struct peal_check *check, const struct peal_check_case *c, const struct peal_situation *situation,
                const struct vectors *data, bool extra, const struct peal_machine *machine, struct peal_cost cost,
                struct excess excesses[MAX_EXCESSES], struct peal_error *error);

/* Which algorithms' closed forms differ from the charge of a user's function in some case so far. */
enum { MAX_ALIKE = 512 };
struct alike {
    bool differs[MAX_ALIKE]; /* by their numbers in the catalogue */
    int cases, nodes;        /* cases compared; the most nodes of one */
};

/* Compare the charge of a run on one port, with rendezvous; then name the algorithms that cost the same: "" none. */
void alike_note(struct alike *alike, struct peal_situation situation, struct peal_cost cost);
void alike_say(const struct alike *alike, enum peal_collective collective, char *text, size_t bytes);

/* Whether the algorithm of the catalogue gives a closed form in this situation, and so promises that it can be run. */
bool excess_promised(const struct peal_check *check, struct peal_situation situation);
