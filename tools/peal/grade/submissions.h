/* SPDX-License-Identifier: MIT */
/* The submissions that a command names: files, and those in folders. */
#pragma once

#include "lib/base/text.h"
#include <limits.h>
#include <peal/base.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A student of a class list. */
struct student {
    const char *id, *name;
    const char *path; /* of the file or folder, as the list has it; "": none was named */
    int line;         /* of the list */
    int submissions;  /* how many were found; 1 where nothing was submitted */
};

struct submission {
    char *file;
    size_t given_bytes;            /* of its path: the given folder, below which no link is followed */
    const struct student *student; /* NULL: of no class list */
    bool nothing;                  /* the student submitted nothing: `file` is "", or a folder without submissions */
};

/* What the submissions of an assignment are written in. */
enum submission_language { IN_C, IN_C_OR_FORTRAN, IN_PYTHON };

struct submissions {
    struct submission *list; /* in the order given; those of a folder by name */
    int count;
    enum submission_language language;
    struct student *students; /* of the class list */
    int student_count;
    char *class_bytes; /* the list's text, into which the students' strings point */
};

/* Look for the submissions: every file is one; in a folder every file below it whose name ends as those of the
 * language, except hidden ones.  A folder with such a name is a submission that is not accepted.  Other
 * files of a folder are reported on standard error; a folder without submissions is an empty submission.
 *
 *   owner    the caller frees them with submissions_free, also after an error
 *   errors   PEAL_USAGE for a folder that cannot be read, or where there is no submission at all; PEAL_RESOURCES */
enum peal_status submissions_find(struct submissions *submissions, const char *const *names, int count,
                                  enum submission_language language, struct peal_error *error);

/* Look for the submissions of a class: comma-separated values (RFC 4180), one student per line, with id, name and the
 * path of a file or folder, relative to the folder of the list; "id,name,..." may head them.  Each student has at least
 * one submission, which may be empty.
 *
 *   owner    as of submissions_find
 *   errors   PEAL_USAGE, "FILE:LINE: what is wrong"; PEAL_RESOURCES */
enum peal_status submissions_of_class(struct submissions *submissions, const char *path,
                                      enum submission_language language, struct peal_error *error);
void submissions_free(struct submissions *submissions);

/* Read the students of a class list: class_list.c.  errors: as of submissions_of_class */
enum peal_status students_read(struct submissions *submissions, const char *path, struct peal_error *error);

/* Write whose it is and its path, "ada, Ada Lovelace, class/ada/sum.c", as far as they are known; cut where it is too
 * long.  The text is untrusted. */
void submission_name(const struct submission *submission, char name[PATH_MAX]);

/* Write why the submission is empty; the caller frees it. */
char *submission_nothing(const struct submissions *all, const struct submission *submission);

/* The one submission with this name: by its student's id, by its path, by the name of the file with or without its
 * ending, or by that of a folder that it lies in.
 *
 *   errors   -1 with PEAL_USAGE: none or several have the name */
int submissions_named(const struct submissions *submissions, const char *name, struct peal_error *error);

/* A number that changes with the contents of the file; always the same for a file that is not regular.  `seed` is the
 * number of what came before, or DIGEST_NOTHING. */
uint64_t digest_file(const char *path, uint64_t seed);
uint64_t digest_text(const char *text, uint64_t seed);
