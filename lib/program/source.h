/* SPDX-License-Identifier: MIT */
/* Inspecting a program's files before they are compiled. */
#pragma once

#include "lib/base/in_fortran.h"
#include <peal/program.h>

/* Whether the file's name says that it is C++. */
PEAL_PRIVATE bool peal_is_cplusplus(const char *path);

/* Whether the file is a program for MPI: Fortran, or text that includes mpi.h and none of Peal's headers. */
bool source_is_mpi(const char *path);

/* What the text of the file, and of its own headers that it includes, shows that it needs. */
enum peal_program_needs source_needs(const char *path);

/* Refuse a path that is not a file of C or C++: a directory, a missing file, a file that is not text, a program for MPI
 * unless `mpi` is expected.  `path` is as the user wrote it; `whole`: the file is one of a program; else it holds one
 * function, in C.
 *
 *   errors   PEAL_PROGRAM                                                                            */
enum peal_status source_check(const char *path, bool whole, bool mpi, struct peal_error *error);

/* The text of a program's file that is a pipe, which can be read only once. */
struct source_text {
    char *bytes; /* NULL: the file is not a pipe */
    size_t count;
};

/* Read the file into *text if it is a pipe.
 *
 *   owner    the caller frees text->bytes
 *   blocks   until the pipe ends, or has not sent anything for a minute
 *   errors   PEAL_PROGRAM for a pipe that has no writer, stays silent, or does not end; PEAL_RESOURCES */
enum peal_status source_read_pipe(const char *path, struct source_text *text, struct peal_error *error);

/* Write the text to the file `to`, so that the compiler's messages name `path`.
 *
 *   errors   PEAL_RESOURCES */
enum peal_status source_write(const struct source_text *text, const char *path, const char *to,
                              struct peal_error *error);

/* Write the name of a C++ function or variable over its mangled one, without parameters and arguments of templates, as
 * "ns::f"; another name stays. */
void demangle(char *name);
