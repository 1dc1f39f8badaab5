/* SPDX-License-Identifier: MIT */
/* The launchers of MPI jobs: which one is installed, of which MPI, and the environment that it needs. */
#pragma once

#include <peal/base.h>
#include <stdbool.h>
#include <stddef.h>

enum launcher_kind { KIND_NONE, KIND_OPENMPI, KIND_MPICH };

enum { MAX_WORDS = 64 };

/* A command line; words that do not fit are left out, and count is MAX_WORDS then. */
struct command_line {
    char *words[MAX_WORDS + 1];
    int count;
};

void line_add(struct command_line *line, const char *word);

/* Whether its words set the number of processes. */
bool line_says_how_many(const struct command_line *line);

/* Ask a launcher which MPI it belongs to; wait some seconds at most. */
enum launcher_kind launcher_kind_of(const char *command);

/* The launcher of an MPI that this Peal was built for, that of PEAL_MPI if it is set.
 *
 *   owner    the caller frees it
 *   errors   NULL, PEAL_USAGE: none is installed */
char *launcher_usual(enum launcher_kind *kind, struct peal_error *error);

/* Set its processes' environment: Open MPI must accept more processes than cores, and root in a container. */
void launcher_environment(enum launcher_kind kind, bool crowded);

enum { RELAY_HELD = 160 };

struct relay {
    int from;              /* the end of a pipe; -1: none, or at its end */
    int why;               /* errno when it could not be written; 0 */
    char held[RELAY_HELD]; /* what may be the beginning of a banner */
    size_t held_count;
    bool begun, complains; /* a line is begun; the banner has come */
};

/* Pass on the available bytes, after waiting at most `milliseconds` for some.  False at the end, and when they cannot
 * be written. */
bool relay_some(struct relay *relay, int milliseconds);
