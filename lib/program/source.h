/* SPDX-License-Identifier: MIT */
/* Looking at a program's files before they are compiled. */
#ifndef LIB_PROGRAM_SOURCE_H
#define LIB_PROGRAM_SOURCE_H

#include <peal/base.h>
#include <stdbool.h>

/* Whether the file's name says that it is C++. */
bool source_is_cplusplus(const char *path);

/* Say no to what is no file of C or C++: a directory, nothing, what is not text, a program for MPI.  `path` is as the user wrote it;
 * `whole` says that it is one of a program, else it has a function of one, in C.
 *
 *   errors   PEAL_PROGRAM                                                                            */
enum peal_status source_check(const char *path, bool whole, struct peal_error *error);

#endif
