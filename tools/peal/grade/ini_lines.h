/* SPDX-License-Identifier: MIT */
/* The lines of an assignment's file: each "key = value" with its section and line, as inih finds them, and the first
 * error in it. */
#pragma once

#include "grade/assignment.h"
#include <stdio.h>

/* One "key = value" of the file. */
struct ini_entry {
    int section; /* 0: [assignment]; i: test i - 1; -1: none yet */
    char *key, *value;
    int line;
};

/* The file as it is read. */
struct ini_lines {
    FILE *in;
    const char *path;
    int line;
    bool indented; /* the line read last begins with a blank */
    struct ini_entry *entries;
    size_t count, held_count;
    char *sections[MAX_TESTS + 1];
    int section_lines[MAX_TESTS + 1], section_count, section;
    void **held; /* memory of values that were split */
    struct peal_error *error;
    bool failed; /* there is an error, described by `error` */
};

/* Read the file.  The first mistake goes to the error, and `failed` is set.
 *
 *   owner    borrows path, and error for later refusals; lines_fini frees, also a zeroed struct
 *   errors   PEAL_USAGE, "FILE:LINE: what is wrong"; PEAL_RESOURCES */
void lines_read(struct ini_lines *lines, const char *path, struct peal_error *error);
void lines_fini(struct ini_lines *lines);

/* Report a mistake in a line, unless there was one before. */
void lines_refuse(struct ini_lines *lines, int line, const char *format, ...) PEAL_PRINTF(3, 4);

/* Keep memory as long as the lines.  Returns it; NULL, with an error, when it is NULL or cannot be kept: then it is
 * freed. */
void *lines_hold(struct ini_lines *lines, void *memory);

/* The value of the key in the section; NULL: none. */
const struct ini_entry *lines_find(const struct ini_lines *lines, int section, const char *key);

/* The line where the test or the assignment sets this key, else where the test begins. */
int lines_line_of(const struct ini_lines *lines, int section, const char *key);
