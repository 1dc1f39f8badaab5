/* SPDX-License-Identifier: MIT */
/* A unit that the browser's page compiles: one C file, with code around it. */
#pragma once

#include "lib/program/compile.h"

/* Texts are borrowed; NULL: none. */
struct browser_unit {
    const char *file;
    const char *before, *after; /* C around its #include */
    const char *judge;          /* C of a unit of its own, with the peal_main */
    const char *function;       /* the function that begins, instead of peal_main */
    const char *flags;          /* NULL: $CFLAGS */
    bool mpi;                   /* it may include mpi.h */
    bool watched;               /* accesses to memory are calls, and comparisons, too: lib/program/instrument.h */
};

/* The memory of a node's instance, from the lowest address up. */
struct instance_memory {
    uintptr_t stack, data, end;
};

/* That of the nodes 0 .. *count - 1; borrowed from the file. */
const struct instance_memory *program_memory(const struct peal_program_file *file, int *count);

/* What lies in the data of each instance, at an offset from its beginning, and its name, or "". */
enum instance_data { DATA_NONE, DATA_VARIABLE, DATA_CONSTANT };
enum instance_data program_data(const struct peal_program_file *file, uintptr_t offset, char *name, size_t bytes);

/* The places of the program's code, pairs of numbers (struct code_place, lib/memory/watched_image.h), which the caller
 * frees; NULL without memory.  And the name of its file. */
void *program_places(const struct peal_program_file *file, size_t *count);
const char *program_name(const struct peal_program_file *file);

/* Find what the page compiled of the unit, or ask for it.
 *
 *   owner    the caller frees program->bytes and ->calls, and *messages, the compiler's, also after an error
 *   errors   PEAL_PROGRAM when it cannot be read, does not compile, or is not compiled yet; PEAL_RESOURCES when the
 *            page has no compiler                                                                                */
enum peal_status unit_find(const struct browser_unit *unit, struct compiled *program, char **messages,
                           struct peal_error *error);
