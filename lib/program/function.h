/* SPDX-License-Identifier: MIT */
/* A function of a file, in place of peal_main: declared for the compiler, and searched for in its output. */
#ifndef LIB_PROGRAM_FUNCTION_H
#define LIB_PROGRAM_FUNCTION_H

#include <peal/base.h>

/* Write the declaration to the file `path`, which the compiler reads before the program.  errors: PEAL_RESOURCES */
enum peal_status function_declare(const char *path, const char *declaration, struct peal_error *error);

/* Refuse when the program, which the user calls `path`, defines no such function; `calls` are those of struct
 * elf_facts.
 *
 *   errors   PEAL_PROGRAM, with the names that are near, or all there are                              */
enum peal_status function_find(const char *path, const char *function, const char *calls, struct peal_error *error);

#endif
