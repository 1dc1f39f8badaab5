/* SPDX-License-Identifier: MIT */
/* What a check covered, and what it did not. */
#pragma once

#include "lib/check/prover.h"

/* Write which numbers of nodes, from `from` to `to`, were reached: "1..16", "1, 2, 4, 8". */
void extent_nodes(const bool *reached, int from, int to, char *text, size_t bytes);

/* Write the verdict's cases, limits and not_run, of a function or an algorithm. */
void extent_say(const struct peal_check *check, const struct prover_end *end, const struct run_tally *tally,
                struct peal_verdict *verdict);
