/* SPDX-License-Identifier: MIT */
/* The request of a check: whether it can be checked, and the program that is compiled for it. */
#pragma once

#include "lib/sandbox/unit.h"
#include <peal/check.h>

/* Refuse a check that is impossible; errors: PEAL_USAGE, PEAL_RESOURCES */
enum peal_status check_validate(const struct peal_check *check, struct peal_error *error);

/* The source that is compiled for a check of a user's file.  `text` holds the additions to the file. */
enum { CHECK_TEXT = 4000 };
struct unit_source check_source(const struct peal_check *check, char text[CHECK_TEXT]);

/* missing.c: after a check's file did not compile as `unit`: whether the reason is that the function is missing.  If
 * so, *error suggests functions of the file.  Where the file does not compile by itself either, the unit becomes that
 * compilation, whose messages are about nothing else.
 *
 *   blocks   until the compiler has ended, which is run a second time                                  */
bool missing_function(const struct peal_check *check, struct unit *unit, struct peal_error *error);

/* The files of all checks, each compiled when it is first needed. */
struct compiled_check {
    struct unit unit;
    struct peal_error error; /* as unit_compile gave it */
    bool tried;
};

/* Compile check i's file, unless one before it has the same.  Its messages go to standard error. */
struct compiled_check *compile_for(struct compiled_check *all, const struct peal_check *checks, int i);

/* Whether two checks can share one compilation. */
bool same_unit(const struct peal_check *a, const struct peal_check *b);
