/* SPDX-License-Identifier: MIT */
/* The operations of a script: what its strands know of their requests, and making one operation. */
#ifndef PEAL_TESTS_OPERATIONS_H
#define PEAL_TESTS_OPERATIONS_H

#include "script.h"

enum { HANDLES = 64, PIECES = 4, STRANDS = 16 };

/* A posted request and its message, in pieces. */
struct posted {
    bool lenient, apart; /* apart: a probe */
    bool one_sided;
    const uint64_t *result;     /* of an update */
    bool gets;                  /* one-sided: words come back */
    bool cancelled;             /* was asked to be taken back */
    struct peal_handle message; /* that a matched probe has found */
    struct peal_node *view;     /* what it was posted on */
    struct peal_handle handle;
    bool open, send;
    size_t words;
    struct peal_piece piece[PIECES];
};

/* What the strands of a node share. */
struct table {
    struct peal_node *world, *group;
    const struct script *script;
    struct posted *posted; /* all, in the order of posting */
    int posted_count;
    int by_handle[HANDLES]; /* index into posted, -1 for none */
    int source[HANDLES];    /* of the message that a wait reported */
    uint64_t *memory;       /* that others put to and get from: SCRIPT_MEMORY words */
    uint64_t **memories;    /* of all nodes */
    struct peal_handle strands[STRANDS];
};

/* A strand of a node at work. */
struct player {
    struct table *table;
    struct peal_node *own; /* of a strand that was started: what all of its operations are made on */
    struct peal_node *me;  /* what the operation is made on */
    const struct script_operation *op;
    int first, count; /* its operations: so many of the node's, from 0 */
    bool tested;
};

/* The name of an operation without the "g:" of one that is made in the group. */
const char *operation_name(const struct script_operation *op);

/* Make the player's operation with these arguments, on `me`, and print what it returned. */
void operation_execute(struct player *player, const int *a);

/* End the process because of a line of the script. */
_Noreturn void script_give_up(const char *what, const char *line);

#endif
