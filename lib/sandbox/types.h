/* SPDX-License-Identifier: MIT */
/* Whether a file's functions have the types with which its judge calls them. */
#pragma once

#include "lib/sandbox/unit.h"

/* Write a C file: the text before an #include of `included` (NULL: none), and the text after it. */
enum peal_status types_write_source(const char *path, const char *before, const char *included, const char *after,
                                    struct peal_error *error);

/* Compare the types of functions in the judge's declarations and the file's definitions: two units would link with any
 * types.  `calls`: as of struct compiled.  The compiler's messages go to standard error. */
enum peal_status types_of_c(const struct unit *unit, const struct unit_source *source, const char *directory,
                            const char *calls, struct peal_error *error);

/* Of a file in C++, before it is compiled; the judge is C.  `flags`, allocated, are then those of the source, with a
 * flag that gives the functions their C names; NULL: they need extern "C". */
enum peal_status types_of_cplusplus(const struct unit *unit, const struct unit_source *source, const char *directory,
                                    char **flags, struct peal_error *error);
