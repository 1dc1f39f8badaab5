/* SPDX-License-Identifier: MIT */
/* Programs that are linked already: shared objects from pealcc, which begin at an ordinary main.
 *
 * Their calls of the C library that touch a node's private state are redirected to Peal when they are loaded: the
 * loader has filled the addresses of the functions into slots of the object, and these are overwritten (bind_slots). */
#pragma once

#include "lib/program/compile.h"

/* The function of pealcc's start file that calls main.  Its number is that of the constants in mpi.h that the program
 * was compiled with; before it had a number, MPI_ANY_SOURCE was -1. */
#define LINKED_ENTRY_OF_ANY "peal_linked_main"
#define LINKED_ENTRY LINKED_ENTRY_OF_ANY "_1"

typedef int (*linked_main)(int argc, char **argv, char **environment);

/* Whether the file begins like a linked program; the rest is not inspected. */
bool linked_is(const char *path);

/* What a linked program needs of threads: OpenMP, thread-locals, or nothing. */
enum peal_program_needs linked_needs(const unsigned char *bytes, size_t size);

/* Whether it calls a function that starts threads: of C, C++ or OpenMP. */
bool linked_starts_threads(const unsigned char *bytes, size_t size);

/* Redirect the output, input and clocks of the loaded C++ library, if any, to Peal.  False if its rights cannot be
 * changed. */
bool linked_bind_cplusplus(void);

/* Read a linked program.
 *
 *   owner    the caller frees program->bytes
 *   errors   PEAL_PROGRAM when it cannot be read, is not a shared object for this machine, or was not linked by
 *            pealcc                                                                                  */
enum peal_status linked_read(const char *path, struct compiled *program, struct peal_error *error);

/* Redirect the slots of the loaded copy at `base`, with its tables at `dynamic`, to Peal; its bytes [code, frozen)
 * are read-only.  With `further` the copy is not node 0's: it has an empty standard input.  False if the rights cannot
 * be changed. */
bool linked_bind(char *base, const void *dynamic, size_t code, size_t frozen, bool further);

/* Give the copy at `base`, which was placed beside one that was bound, an empty standard input. */
bool linked_empty_input(char *base, const void *dynamic, size_t code, size_t frozen);
