/* SPDX-License-Identifier: MIT */
/* Lessons as the command shows them: those of the library, and a lecturer's own, each a text file (peal-lesson(1)). */
#pragma once

#include <peal/tools.h>

/* One thing that a lesson shows.  A run has a record and, if it failed, why: as the machine says it, or as a text. */
struct taught_step {
    enum peal_step_kind kind;
    bool holds;
    char *text;
    struct peal_record *record;
    const struct peal_failure *failed; /* of a lesson of the library */
    char *failure;                     /* "deadlock: nothing can move: ..."; NULL */
};

struct taught {
    const char *id, *title, *source, *code, *question;
    struct taught_step *steps;
    int count, checks, failed;

    /* private */
    struct peal_board *board; /* of a lesson of the library; NULL */
    char *bytes;              /* of a file, into which the texts point; NULL */
    int room;
};

/* Give a lesson of the library.
 *
 *   owner    the caller calls taught_fini, also after an error
 *   errors   as peal_lesson_teach */
enum peal_status taught_lesson(struct taught *taught, const struct peal_lesson *lesson,
                               const struct peal_lesson_numbers *numbers, struct peal_error *error);

/* Whether an argument is the file of a lesson: its name has an ending, such as .txt, or a slash, and no blank. */
bool taught_is_file(const char *name);

/* Read the lesson in the file `path`, make its runs, and check its claims.
 *
 *   owner    the caller calls taught_fini, also after an error; borrows path
 *   blocks   until the runs are over
 *   errors   PEAL_USAGE, with the file and the line, for a file that is not a lesson, and for a run that is refused */
enum peal_status taught_file(struct taught *taught, const char *path, struct peal_error *error);
void taught_fini(struct taught *taught);
