/* SPDX-License-Identifier: MIT */
/* The board: the steps of the lesson that is being given, and the run that is being made. */
#pragma once

#include "lesson.h"
#include <setjmp.h>
#include <stdarg.h>

enum { MAX_NOTES = 16 };

/* One note of one node: words that it showed. */
struct note {
    void *words; /* owned by the notes; NULL: nothing was shown */
    size_t count;
};

/* All notes of a run: a row a node, written by that node only, read when the run is over. */
struct notes {
    int nodes;
    struct note (*rows)[MAX_NOTES];
};

struct peal_board {
    struct peal_step *steps; /* owns their texts and machines */
    int count, room;
    int checks, failed;
    struct peal_machine *tried[2]; /* of the last lesson_try, and the one before; owned */
    struct notes notes;            /* of the last run */
    struct peal_lesson_numbers numbers; /* as given */
    jmp_buf stop;                  /* back to peal_lesson_teach; `why` is filled */
    struct peal_error why;
};

/* Add a step; the text is written as by printf.  owner: takes machine */
struct peal_step *board_add(struct peal_board *board, enum peal_step_kind kind, struct peal_machine *machine,
                            const char *format, va_list list) PEAL_PRINTF(4, 0);

/* End the lesson here: there is not enough memory or there are not enough threads. */
__attribute__((noreturn)) void board_stop(struct peal_board *board, const struct peal_error *why);

void notes_fini(struct notes *notes);
