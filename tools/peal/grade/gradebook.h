/* SPDX-License-Identifier: MIT */
/* Marks as JSON, "peal/grade/1" of peal-json(5): written, and read again to go on. */
#pragma once

#include "grade/marking.h"
#include <stdio.h>

void gradebook_write(FILE *out, const struct marks *marks);

/* Write one alone, as gradebook_parse reads it. */
void gradebook_write_one(FILE *out, const struct assignment *assignment, const struct marking *marking);

/* A gradebook that was read; zeroed: an empty one. */
struct gradebook {
    void *root; /* private */
};

/* Read a gradebook of this assignment.
 *
 *   owner    the caller closes it with gradebook_close, also after an error
 *   errors   PEAL_USAGE when it cannot be read or is none of this assignment */
enum peal_status gradebook_open(struct gradebook *book, const char *path, const struct assignment *assignment,
                                struct peal_error *error);
void gradebook_close(struct gradebook *book);

/* Take from the gradebook what still holds of the submission marking->file, whose marks are zeroed: those of tests that
 * say what they said then, if its contents are what they were then; with `all` those of every test of the same name,
 * whatever has changed.  False: it has no mark of the submission; else marks that were taken are `kept`. */
bool gradebook_take(const struct gradebook *book, const struct assignment *assignment, bool all,
                    struct marking *marking);

/* Read what gradebook_write_one wrote; false: the text is something else. */
bool gradebook_parse(const char *text, size_t bytes, const struct assignment *assignment, struct marking *marking);
