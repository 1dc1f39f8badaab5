/* SPDX-License-Identifier: MIT */
/* The calls of the C library that use per-process state, of which each node needs its own.
 *
 * Before a node program is linked, its printf becomes peal_wrap_printf (compile.h), which interpose.c defines and the
 * library exports: the node's own output, random numbers, and end.  Only calls in the program's own file are
 * redirected; a call made outside of a node (in a destructor, for example) goes to the C library.  */
#pragma once

#include "lib/program/model_clock.h"
#include <peal/node.h>
#include <stdbool.h>
#include <stdlib.h>

/* The state of a node, made when it starts. */
struct interpose_state {
    bool random_seeded, drand48_seeded;
    struct random_data random; /* of rand and random, which share one sequence */
    char random_words[128];    /* as many as the C library's own, so that srand(42) gives the same numbers */
    struct drand48_data drand48;
    char *token; /* the place where strtok goes on */

    /* of linked programs: interpose_linked.c */
    struct model_clock clock;
    uint64_t entropy;                   /* numbers that getentropy and getrandom gave */
    struct interpose_handler *handlers; /* of atexit, the last one first */
    const char *base;                   /* of the node's copy */
    const void *exited;                 /* what its call of exit returns to; NULL: it has made none */
    struct sampled_call *sampled;       /* sampled.c; NULL: there was none */
};

/* Set the array of states of the next run's nodes: node r sets states[r] before its program starts; and what exit
 * calls, which does not return if the program is linked.  NULL after the run.  One run at a time in a process. */
void interpose_begin(struct interpose_state **states, void (*exits)(struct peal_node *me, int status));

/* The seed of a node's random numbers, from the machine's seed and the rank. */
uint64_t interpose_first_seed(void);

/* "printf", ..., NULL. */
const char *const *interpose_names(void);

/* The state of the node; NULL outside of node programs. */
struct interpose_state *interpose_state_of(struct peal_node *me);

/* A table of names, and the functions that their calls go to; find one: NULL when it has no such name. */
struct interpose_call {
    const char *name;
    void (*call)(void);
};
void *interpose_find(const struct interpose_call *calls, size_t count, const char *name);

/* The function for a linked program's calls of this name; NULL: they are not redirected.  The second: for calls that
 * are redirected in other programs, too. */
void *interpose_address(const char *name);
void *interpose_common_address(const char *name);

/* Finds such functions for checks of memory and for runs on lengths; NULL: none.  Set before main by
 * lib/memory/library_calls.c. */
extern void *(*interpose_further)(const char *name);

/* Run the functions that the node gave to atexit, the last one first. */
void interpose_run_handlers(struct interpose_state *state);

/* Whether the time of linked programs is the host's.  Set before a run, then constant. */
extern bool interpose_host_clock;
