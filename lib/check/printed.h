/* SPDX-License-Identifier: MIT */
/* What the nodes of a whole program print, and whether it is the same in every run of a case. */
#ifndef LIB_CHECK_PRINTED_H
#define LIB_CHECK_PRINTED_H

#include <peal/check.h>

struct printed {
    int fd;             /* a file in memory that a run's machine writes to, with tags; -1: there is none */
    char *first, *last; /* of the first run of the case, and of the last one: by nodes; NULL */
};

/* Get the file; fd is -1 if there cannot be one. */
void printed_init(struct printed *printed);
void printed_fini(struct printed *printed);

/* A case begins: its first run is still to come.  A run begins. */
void printed_begin_case(struct printed *printed);
void printed_begin_run(const struct printed *printed);

/* Take what the last run printed for what the first run of the case did. */
void printed_keep(struct printed *printed);

/* Whether the last run printed the same as the first one of the case, or is that; else the finding is filled. */
bool printed_same(struct printed *printed, struct peal_finding *finding);

#endif
