/* SPDX-License-Identifier: MIT */
/* A function to be checked that its file lacks: most often a typo. */
#pragma once

#include <peal/check.h>

/* After a check's file did not compile, with the compiler's `messages`: whether the reason is that there is no such
 * function.  If so, *error suggests functions of the file.
 *
 *   blocks   until the compiler has ended, when it is run a second time                                */
bool missing_function(const struct peal_check *check, const char *messages, struct peal_error *error);
