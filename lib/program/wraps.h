/* SPDX-License-Identifier: MIT */
/* The calls of the C library that touch what a process has once and a node must have for itself.
 *
 * Before a node program is linked, its printf becomes peal_wrap_printf (redirect.h), which wraps.c defines and the library
 * exports: the node's own output, random numbers, and end.  Only calls that stand in the program's own file are
 * redirected; a call made outside of a node (a destructor, say) goes to the C library as ever.  */
#ifndef LIB_PROGRAM_WRAPS_H
#define LIB_PROGRAM_WRAPS_H

#include <stdbool.h>
#include <stdlib.h>

/* What a node has for itself, made when it starts. */
struct wraps_state {
    bool random_seeded, drand48_seeded;
    struct random_data random; /* of rand and random, which share one sequence */
    char random_words[128];    /* as many as the C library's own, so that srand(42) gives the same numbers */
    struct drand48_data drand48;
    char *token; /* where strtok goes on */
};

/* Tell the nodes of the coming run where their states are: states[r] is set by node r before its program starts.  NULL
 * after the run.  One run at a time in a process. */
void wraps_begin(struct wraps_state **states);

/* "printf", ..., NULL. */
const char *const *wraps_names(void);

/* What the system refused node `rank` last in the run that is on or was last, "fopen("x"): Permission denied"; NULL: nothing. */
const char *wraps_refused(int rank);

#endif
