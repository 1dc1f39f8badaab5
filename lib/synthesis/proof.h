/* SPDX-License-Identifier: MIT */
/* Checking that a formula has no solution, by a proof that a solver wrote.
 *
 * The proof is a list of lemmas and deletions in the binary form of DRAT: 'a' or 'd', the literals, 0; a literal is the
 * number 2·variable, plus 1 if it is negated, seven bits a byte, the lowest first, the top bit set in all bytes but the
 * last.  A lemma is accepted if it follows by unit propagation (RUP): when all its literals are assumed false, the
 * clauses so far give a contradiction.  So every clause that the checker holds follows from the formula; the proof is
 * accepted when the empty clause does.  A deletion can only make later lemmas fail, never succeed.  The other half of
 * DRAT (RAT: clauses that do not follow) is refused.
 *
 * The checker shares nothing with the solver and nothing with the encoder but the list of clauses. */
#pragma once

#include "lib/synthesis/cnf.h"

struct proof_report {
    uint64_t lemmas, deletions; /* read until the contradiction */
    char digest[65];            /* SHA-256 of the file; "" if it was not accepted */
};

/* Check the proof in the file `path`, until the deadline of the formula.
 *
 *   errors   PEAL_FAILED: not a proof of this formula; says which lemma is wrong
 *            PEAL_USAGE: the file cannot be read; PEAL_RESOURCES; PEAL_TIMEOUT                                      */
enum peal_status proof_check(const struct cnf *cnf, const char *path, struct proof_report *report,
                             struct peal_error *error);
