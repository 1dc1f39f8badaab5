/* SPDX-License-Identifier: MIT */
/* The submissions that a command names: files, and those in folders. */
#pragma once

#include <peal/base.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct submission {
    char *file;
    size_t given_bytes; /* of its path: the folder that was given, below which no link is followed */
};

struct submissions {
    struct submission *list; /* in the order given; of a folder in that of their names */
    int count;
    bool fortran; /* files in Fortran, too */
};

/* Look for the submissions: every file is one; of a folder every file below it whose name ends in .c, or, `fortran`, as
 * those of Fortran do, except hidden ones.  A folder of such a name is a submission that is not accepted.  Other files
 * of a folder are reported on standard error.
 *
 *   owner    the caller gives them back with submissions_free, also after an error
 *   errors   PEAL_USAGE for a folder that cannot be read or has none; PEAL_RESOURCES      */
enum peal_status submissions_find(struct submissions *submissions, const char *const *names, int count, bool fortran,
                                  struct peal_error *error);
void submissions_free(struct submissions *submissions);

/* The one submission that is called so: by its path, by the name of the file with or without its ending, or by that of
 * a folder that it lies in.
 *
 *   errors   -1 with PEAL_USAGE: none or several are called so */
int submissions_named(const struct submissions *submissions, const char *name, struct peal_error *error);

/* A number that changes with the contents of the file; of a file that is not regular always the same.  `seed` is such a
 * number, of what came before, or DIGEST_NOTHING. */
uint64_t digest_file(const char *path, uint64_t seed);
uint64_t digest_text(const char *text, uint64_t seed);
#define DIGEST_NOTHING UINT64_C(0xcbf29ce484222325)
