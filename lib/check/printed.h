/* SPDX-License-Identifier: MIT */
/* The output of a whole program's nodes, and whether it is the same in every run of a case. */
#pragma once

#include <peal/check.h>

struct printed {
    int fd;             /* a file in memory that a run's machine writes to, with tags; -1: none */
    char *first, *last; /* of the first run of the case, and of the last one: by nodes; NULL */
};

/* What the file has, sorted by node: "0: ...\n0: ...\n1: ...".  NULL without memory.  owner: the caller frees it */
char *printed_by_node(int fd);

/* Where two such texts differ first: the rest of that line of a node in both, "" after its last line. */
struct printed_difference {
    int node;
    char one[200], other[200];
};
void printed_differ(const char *one, const char *other, struct printed_difference *difference);

/* Open the file; fd is -1 on failure. */
void printed_init(struct printed *printed);
void printed_fini(struct printed *printed);

/* A case begins: its first run follows.  A run begins. */
void printed_begin_case(struct printed *printed);
void printed_begin_run(const struct printed *printed);

/* Make the output of the last run that of the first run of the case. */
void printed_keep(struct printed *printed);

/* Whether the last run printed the same as the first one of the case, or is the first one; otherwise the finding is
 * filled in. */
bool printed_same(struct printed *printed, struct peal_finding *finding);
