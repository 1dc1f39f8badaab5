/* SPDX-License-Identifier: MIT */
/* What a check's child reports may have been written by the untrusted code that it runs. */
#pragma once

#include "lib/check/prover.h"

/* Whether the message can be one of this check's: it names a case that there is, its texts end, and its numbers are in
 * their ranges. */
bool message_is_possible(const struct peal_check *check, const struct prover_message *message);

/* Of what the child left in memory that it shares: how many nodes its case had, 0 for none yet, or `from` where that
 * cannot be; and the case, the first of these nodes where it cannot be. */
int progress_nodes(const struct peal_check *check, const struct proof_progress *progress, int from);
struct peal_check_case progress_case(const struct peal_check *check, const struct proof_progress *progress,
                                     const struct cases *cases);
