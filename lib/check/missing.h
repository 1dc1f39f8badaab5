/* SPDX-License-Identifier: MIT */
/* A function to be checked that its file does not have: most often a typo. */
#ifndef LIB_CHECK_MISSING_H
#define LIB_CHECK_MISSING_H

#include <peal/check.h>

/* After a check's file did not compile with what the compiler says in `messages`: whether the reason is that there is no such function.
 * Then *error names those of the file that could be meant.
 *
 *   blocks   until the compiler has ended, when it is asked a second time                                */
bool missing_function(const struct peal_check *check, const char *messages, struct peal_error *error);

#endif
