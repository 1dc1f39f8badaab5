/* SPDX-License-Identifier: MIT */
/* The calls of the C library that touch what a process has once and a node must have for itself.
 *
 * Before a node program is linked, its printf becomes peal_wrap_printf (redirect.h), which wraps.c defines and the library
 * exports: the node's own output, random numbers, and end.  Only calls in the program's own file are
 * redirected; a call made outside of a node (a destructor, say) goes to the C library as ever.  */
#ifndef LIB_PROGRAM_WRAPS_H
#define LIB_PROGRAM_WRAPS_H

#include <peal/node.h>
#include <stdbool.h>
#include <stdlib.h>

/* What a node has for itself, made when it starts. */
struct wraps_state {
    bool random_seeded, drand48_seeded;
    struct random_data random; /* of rand and random, which share one sequence */
    char random_words[128];    /* as many as the C library's own, so that srand(42) gives the same numbers */
    struct drand48_data drand48;
    char *token; /* where strtok goes on */

    /* of linked programs: wraps_linked.c */
    double offset, last_clock; /* nanoseconds that the node's time is ahead of the machine's; when it was last read */
    unsigned reads;            /* of the time, on end */
    double step;
    struct wraps_handler *handlers; /* of atexit, the last one first */
};

/* Tell the nodes of the coming run where their states are: states[r] is set by node r before its program starts.  NULL
 * after the run.  One run at a time in a process. */
void wraps_begin(struct wraps_state **states);

/* "printf", ..., NULL. */
const char *const *wraps_names(void);

/* What the system refused node `rank` last in the run that is on or was last, "fopen("x"): Permission denied"; NULL: nothing. */
const char *wraps_refused(int rank);

/* The state of the node; NULL outside of node programs. */
struct wraps_state *wraps_state_of(struct peal_node *me);

/* Where a linked program's calls of this name go; NULL: they stay.  The second is for what only linked programs have. */
void *wraps_address(const char *name);
void *wraps_linked_address(const char *name);

/* How a node of a linked program ends; NULL: the program is not linked.  Does not return.  Set before a run, then constant. */
extern void (*wraps_exit)(struct peal_node *me, int status);

/* Run what the node gave to atexit, the last one first. */
void wraps_run_handlers(struct wraps_state *state);

/* Whether the time of linked programs is the host's.  Set before a run, then constant. */
extern bool wraps_host_clock;

#endif
