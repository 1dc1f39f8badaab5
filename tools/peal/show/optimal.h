/* SPDX-License-Identifier: MIT */
/* The known optima: the fronts of algorithms/optimal, with which peal compare compares the catalogue. */
#pragma once

#include "lib/record/json.h"
#include "lib/study/trial.h"

/* What is proved about the R/C of a point. */
enum optimal_how {
    OPTIMAL_CUT,    /* no schedule at all has a lower one */
    OPTIMAL_CLOSED, /* no schedule with at most these steps and the chunks that were tried has a lower one */
    OPTIMAL_OPEN,   /* a lower one is not ruled out */
};

/* A schedule of S steps and R rounds of a chunk of m/C words (of a vector collective n/C). */
struct optimal_point {
    int steps, rounds, chunks;
    enum optimal_how how;
};

/* A front: from the root 0, with the topology's own routing, full duplex, congestion by count.  No schedule has fewer
 * steps than its first point: this is proved for every front. */
struct optimal_front {
    const char *collective; /* NULL after the last */
    const char *network;    /* "full:8", "mesh:2x4" */
    int ports, chunks;      /* the most chunks that were tried */
    int cut, each_round;    /* R/C is at least cut / each_round */
    int proofs;             /* that were checked */
    int first, count;       /* its points are optimal_points[first .. first + count) */
};

/* Made from algorithms/optimal by fronts.py, which refuses a front whose claims do not follow from its certificates. */
extern const struct optimal_point optimal_points[];
extern const struct optimal_front optimal_fronts[];

/* What is known about the optimum of a situation, and the trials to compare it with. */
struct optimal {
    const struct peal_situation *situation; /* borrowed */
    const struct trial *trials;             /* borrowed; `count` of them */
    int count;
    const struct optimal_front *front; /* NULL: none is known */
    const char *why;                   /* then: the reason */
    char *command;                     /* then: the command that searches for it, owned; NULL: there is none */
};

/* Find the front of this situation: it fills in front, or why and command.
 *
 *   owner    the caller frees it with optimal_fini, also after an error
 *   errors   PEAL_RESOURCES                                              */
enum peal_status optimal_find(struct optimal *optimal, struct peal_error *error);
void optimal_fini(struct optimal *optimal);

/* Write "peal synthesize COLLECTIVE" with the options of this machine. */
void optimal_write_command(FILE *out, const struct peal_situation *situation);

/* Print it below the table of the trials, after an empty line.  errors: as of table_end */
enum peal_status optimal_show(FILE *out, const struct optimal *optimal, struct peal_error *error);

/* Write the members "optimal" and "optimal_missing" of the document. */
void optimal_write(struct peal_json *json, const struct optimal *optimal);
