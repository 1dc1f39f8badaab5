/* SPDX-License-Identifier: MIT */
/* Groups of nodes, and how splits make them. */
#pragma once

#include "lib/machine/site.h"
#include <peal/node.h>

struct node;

struct group {
    int size;
    int part;         /* of the machine: its size, or 0 for all of it.  Groups of one part choose the same algorithms */
    int32_t *members; /* world ranks by group rank; NULL: the whole machine */
    uint32_t context; /* of the program's messages; the collectives' is one more */
    int splitting;    /* members parked in peal_split; only the round looks */
    struct calls *calls;   /* calls.c; NULL: there were none */
    struct call_site made; /* by which call; none for the whole machine */
    char *name;            /* in reports; NULL: none.  Guarded by calls_lock in a phase */
    struct group *next;
};

/* Make the groups whose members have all called peal_split, and release those; gives how many.  Some of their
 * members are among the nodes that ran in this phase. */
size_t groups_split(struct peal_machine *machine, const int32_t *ran, size_t count,
                    void (*release)(struct peal_machine *, struct node *));
void groups_clear(struct peal_machine *machine);
/* Make a group of these members, which the machine owns; NULL without memory. */
struct group *group_make(struct peal_machine *machine, const int32_t *members, int size, struct call_site made);
/* Note that `size` nodes agree on something without messages. */
void group_agreed(struct peal_machine *machine, int size);
/* Make the result of a split: its node as `rank` of the group. */
void group_enter(struct peal_node *view, struct group *group, int rank);
