/* SPDX-License-Identifier: MIT */
/* Lessons: the course's scenarios, quizzes and figures as node programs, run on the machine, and every claim compared
 * with the run. */
#ifndef PEAL_LESSON_H
#define PEAL_LESSON_H

#include <peal/machine.h>

PEAL_BEGIN

/* The record of a lesson: written by the lesson, read when it is over. */
struct peal_board;

/* One lesson: a file of algorithms/lessons that fills one of these, and a line in the table there. */
struct peal_lesson {
    const char *id;       /* "S3" */
    const char *title;    /* one line, no full stop */
    const char *source;   /* where in the course */
    const char *code;     /* the name of its file */
    const char *question; /* one paragraph */
    void (*run)(struct peal_board *board);
    bool takes_numbers; /* see peal_lesson_teach */
};

/* The numbers that a lesson is given with: nodes, words of a block, ports of a node.  0: the lesson's own. */
struct peal_lesson_numbers {
    int nodes;
    size_t words;
    int ports;
};

/* The i-th lesson in the order of the course, NULL after the last; the one called `id`, in any case of letters, or
 * NULL. */
PEAL_API const struct peal_lesson *peal_lesson_get(int i);
PEAL_API const struct peal_lesson *peal_lesson_find(const char *id);

enum peal_step_kind {
    PEAL_STEP_SAYS,     /* a paragraph */
    PEAL_STEP_SHOWS,    /* one line of a drawing or a table, printed unchanged */
    PEAL_STEP_RUNS,     /* a run: text is its caption */
    PEAL_STEP_CHECKS,   /* a claim, with the number of the run */
    PEAL_STEP_ANSWERS,  /* the answer, a paragraph */
    PEAL_STEP_CORRECTS, /* where the source is wrong, a paragraph */
};

/* One thing on the board. */
struct peal_step {
    enum peal_step_kind kind;
    bool holds; /* of a check; true of all others */
    char *text;
    const struct peal_machine *machine; /* of a run, to be read: schedule, cost, failure; else NULL */
};

/* Give the lesson, with these numbers if it takes some (NULL: its own): run its programs, and record on a board its
 * text, the runs, and which claims hold.
 *
 *   owner    the caller destroys the board, and with it the machines of its runs
 *   blocks   until the lesson is over
 *   thread   one at a time in a process, and not beside a peal_run
 *   errors   NULL, and PEAL_RESOURCES without memory or threads, or PEAL_USAGE where the numbers are too large; a claim
 *            that does not hold is not an error */
PEAL_API struct peal_board *peal_lesson_teach(const struct peal_lesson *lesson,
                                              const struct peal_lesson_numbers *numbers, struct peal_error *error);
PEAL_API void peal_board_destroy(struct peal_board *board);

/* The i-th step, NULL after the last; the number of claims, and of those that do not hold. */
PEAL_API const struct peal_step *peal_board_step(const struct peal_board *board, int i);
PEAL_API int peal_board_checks(const struct peal_board *board);
PEAL_API int peal_board_failed(const struct peal_board *board);

/* Draw a line network of `nodes` nodes and the messages of round i, from 0, along it: calls show(arg, line) for each
 * line; with `loads`, also for how many messages are on each link.  Nothing for more than 16 nodes. */
PEAL_API void peal_draw_line(const struct peal_schedule *schedule, size_t i, int nodes, bool loads,
                             void (*show)(void *arg, const char *line), void *arg);

PEAL_END

#endif
