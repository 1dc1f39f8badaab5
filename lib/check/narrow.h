/* SPDX-License-Identifier: MIT */
/* The search for a precondition with which a wrong function is right. */
#pragma once

#include "lib/base/private.h"
#include <peal/check.h>

/* Whether there is a finding that is not a warning. */
PEAL_PRIVATE bool peal_check_is_wrong(const struct peal_verdict *verdict);

/* Whether one is searched: the check suggests, the function is wrong, and no case was asked for. */
bool narrow_tries(const struct peal_check *check, const struct peal_verdict *verdict);

/* Write the check with the first precondition from number `from` on, weakest first, that leaves none of the errors
 * found in; its number, or -1 after the last. */
int narrow_next(const struct peal_check *check, const struct peal_verdict *verdict, int from,
                struct peal_check *narrowed);

/* Write the sentence about the precondition, with which the check of these numbers of nodes proved the function. */
void narrow_suggest(int which, const char *bound, char *text, size_t bytes);
