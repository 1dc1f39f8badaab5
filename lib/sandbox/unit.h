/* SPDX-License-Identifier: MIT */
/* A user's file compiled once, in a child process, for the children that load and run it. */
#pragma once

#include "lib/program/compile.h"

/* The input of a compilation.  Strings are borrowed. */
struct unit_source {
    const char *file;           /* the user's C file; NULL: there is none, only what is `before` */
    const char *const *sources; /* further files, as they are, up to NULL; NULL: none */
    const char *before, *after; /* C before and after an #include of it; both NULL: the file alone */
    const char *readable;       /* a further file that it includes; NULL */
    const char *judge_file;     /* a C file with the peal_main, which calls the user's: see compile_judged; or */
    const char *judge_text;     /* the C text of such a file; both NULL: the user's file has the peal_main */
    const char *judge_functions, *judge_offers; /* as of struct compile_judge */
    bool untrusted;                             /* it may include nothing from its own folder */
    const char *compiler, *flags;               /* NULL: $CC, $CFLAGS */
    bool mpi;                                   /* a program for MPI, or part of one: the judge has main */
    bool calls_mpi;                             /* the judged part calls MPI; the judge has peal_main */
    bool watched;                               /* accesses to memory are calls: see instrument.h */
    bool branches;                              /* blocks and comparisons too */
    bool alone;                                 /* only the object, for the names that it calls; it need not link */
};

/* The result. */
struct unit {
    struct compiled program;
    char *real;     /* the full name of the user's file; NULL: none */
    char *wrapper;  /* the name under which the code around it was compiled; the file's own when there is none */
    char *messages; /* the compiler's, up to some KiB; "" */
};

/* Compile.  The compiler's messages are kept, not shown.
 *
 *   owner    the caller frees it with unit_free, also after an error
 *   blocks   until the compiler has ended, a minute at most
 *   thread   no other thread may run in the process: it forks
 *   errors   PEAL_PROGRAM when it cannot be read, does not compile or link; PEAL_RESOURCES                  */
enum peal_status unit_compile(struct unit *unit, const struct unit_source *source, struct peal_error *error);
void unit_free(struct unit *unit);

/* Put the user's own name of the file, `given`, for each of its full names in the text of `bytes` bytes. */
void unit_shorten(const struct unit *unit, const char *given, char *text, size_t bytes);

/* Put `given` for each `name` in the text of `bytes` bytes, as long as there is room. */
void unit_replace(const char *name, const char *given, char *text, size_t bytes);

/* Write the compiler's line that reports the error. */
char *unit_complaint(const struct unit *unit, const char *given, char text[300]);

/* Print the compiler's messages to standard error: those about the code around the file as `<peal>`'s, and lines that
 * the linker ascribes to that code as the file's. */
void unit_show(const struct unit *unit, const char *given);
