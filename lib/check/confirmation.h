/* SPDX-License-Identifier: MIT */
/* The confirmation of untrusted functions, by lib/marking, which may not be built. */
#pragma once

#include "lib/sandbox/unit.h"
#include <peal/check.h>

/* A check whose verdict is right so far.  A function that is not confirmed gets a finding in the verdict. */
struct confirm_task {
    const struct peal_check *check;
    struct peal_verdict *verdict;
};

/* Confirm checks of one unit, by at most `seconds`; 0: no limit.  Set before main by lib/marking/confirm.c; NULL where
 * that is not built.
 *
 *   blocks   for some dozen runs of each
 *   thread   no other thread may run in the process: it forks
 *   errors   PEAL_RESOURCES */
extern enum peal_status (*confirmation)(const struct confirm_task *tasks, int count, const struct unit *unit,
                                        double seconds, struct peal_error *error);
