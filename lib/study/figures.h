/* SPDX-License-Identifier: MIT */
/* Measured times of named algorithms: a table with a heading, as measurement suites write it. */
#pragma once

#include "lib/base/private.h"
#include <peal/tools.h>

/* What an implementation does besides the rounds of our algorithm. */
enum extra {
    EXTRA_NONE,
    EXTRA_BLOCKWISE, /* sends every block as a message of its own */
    EXTRA_ROTATES,   /* copies all blocks once within a node */
    EXTRA_PERMUTES,  /* as EXTRA_ROTATES, and computes the place of each block */
    EXTRA_PACKS,     /* copies all blocks twice, and twice what it sends */
    EXTRA_SORTS      /* as EXTRA_PACKS, and computes the place of each block in every round, and at the end */
};

/* A name that other software has for an algorithm. */
struct namesake {
    enum peal_collective collective;
    const char *name; /* "neighbor" */
    const char *ours; /* "neighbour-exchange", "k-nomial:4" */
    int tuned;        /* its number in Open MPI's module tuned; 0: none */
    enum extra extra;
};

/* The i-th of the list; NULL after the last. */
PEAL_PRIVATE const struct namesake *peal_namesake_get(int i);

/* One measured time. */
struct figure {
    char shape[32]; /* the nodes as they were written: "8x8x8", "64" */
    int nodes;
    enum peal_collective collective;
    const char *algorithm; /* of the catalogue; NULL: what the library chooses by itself */
    enum extra extra;
    double bytes; /* of the vector, or of all P blocks together */
    double time;  /* microseconds */
    int line;
};

struct figures {
    struct figure *list; /* by nodes, collective, bytes, algorithm, extra */
    size_t count;
    size_t read;     /* lines with a time */
    size_t unknown;  /* of them, those of algorithms that the catalogue lacks */
    size_t repeated; /* lines with the algorithm, size and nodes of another line: the least time counts */
    size_t several;  /* those with several processes on a node */
};

/* Whether the text begins with the heading of such a table: it names a column "algorithm", or "algo_name". */
PEAL_PRIVATE bool peal_figures_are(const char *bytes, size_t size);

/* Read the table.  Columns, in any order, by their names: nodes or nnodes; collective or collective_type; algorithm or
 * algo_name; bytes or buffer_size; time in microseconds, or median in nanoseconds; tasks_per_node, where only 1 is
 * taken; other columns are ignored.
 *
 *   owner    the caller frees figures->list
 *   errors   PEAL_USAGE with file:line for a missing column or a line that is not a measurement; PEAL_RESOURCES  */
PEAL_PRIVATE enum peal_status peal_figures_read(const char *file, const char *bytes, size_t size,
                                                struct figures *figures, struct peal_error *error);
