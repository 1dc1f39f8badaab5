/* SPDX-License-Identifier: MIT */
/* The launchers of MPI jobs: which one there is, whose it is, and what it wants to find in the environment. */
#ifndef PEAL_LAUNCHER_H
#define PEAL_LAUNCHER_H

#include <peal/base.h>

enum launcher_kind { KIND_NONE, KIND_OPENMPI, KIND_MPICH };

enum { MOST_WORDS = 64 };

/* A command line; what does not fit any more is left out, and count is MOST_WORDS then. */
struct line {
    char *words[MOST_WORDS + 1];
    int count;
};

void line_add(struct line *line, const char *word);

/* Whether its words say how many processes there are to be. */
bool line_says_how_many(const struct line *line);

/* Ask a launcher whose it is, for some seconds. */
enum launcher_kind launcher_kind_of(const char *command);

/* The launcher of an MPI that this Peal was built for, PEAL_MPI's if that says one.
 *
 *   owner    the caller frees it
 *   errors   NULL, PEAL_USAGE: there is none */
char *launcher_usual(enum launcher_kind *kind, struct peal_error *error);

/* Set what its processes read: more of them than cores, and root in a container, are no reason for Open MPI to refuse. */
void launcher_environment(enum launcher_kind kind, bool crowded);

#endif
