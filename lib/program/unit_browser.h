/* SPDX-License-Identifier: MIT */
/* What the page of the browser compiles: one file of C, with code around it. */
#pragma once

#include "lib/program/compile.h"

/* Texts are borrowed; NULL: none. */
struct browser_unit {
    const char *file;
    const char *before, *after; /* C around its #include */
    const char *judge;          /* C of a unit of its own, with the peal_main */
    const char *function;       /* what begins, instead of peal_main */
    const char *flags;          /* NULL: $CFLAGS */
    bool mpi;                   /* it may include mpi.h */
};

/* Find what the page compiled of the unit, or ask for it.
 *
 *   owner    the caller frees program->bytes and ->calls, and *messages, the compiler's, also after an error
 *   errors   PEAL_PROGRAM when it cannot be read, does not compile, or is not compiled yet; PEAL_RESOURCES when the
 *            page has no compiler                                                                                */
enum peal_status unit_find(const struct browser_unit *unit, struct compiled *program, char **messages,
                           struct peal_error *error);
