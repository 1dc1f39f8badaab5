/* SPDX-License-Identifier: MIT */
/* Faults of a program that do not end its run. */
#pragma once

#include "mpi/node.h"

/* Whether the run is strict (PEAL_STRICT): leaks are listed, and buffers of pending messages are watched. */
void strict_begin(void); /* before a run */
bool finding_strict(void);

/* Whether the program's own accesses are watched in this run; set by held_begin. */
extern bool finding_watched;

/* Record a finding of the call that the node makes, with one more place in code; rank -1: none.  The text follows the
 * call's name. */
void mpi_find(struct mpi *mpi, int kind, int rank, const char *site, const char *format, ...) PEAL_PRINTF(5, 6);

/* Record a finding at `at`, with its whole text. */
void remark_at(struct mpi *mpi, int kind, const char *at, int rank, const char *site, const char *format, ...)
    PEAL_PRINTF(6, 7);

/* Something to say of a call that has a rule of its own, or is a note, which is recorded in strict runs only.  A note
 * has no rule, since nothing forbids what it is about: what the standard says stands before its correction. */
struct remark {
    int kind;
    bool note;
    const struct peal_rule *rule; /* NULL: the kind's */
    const char *call, *at;        /* and its place; NULL: the call that the node makes now */
    int rank;                     /* of one more place */
    const char *site;             /* NULL: there is none */
};
void mpi_remark(struct mpi *mpi, const struct remark *remark, const char *format, ...) PEAL_PRINTF(3, 4);
