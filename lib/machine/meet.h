/* SPDX-License-Identifier: MIT */
/* Meetings of nodes. */
#pragma once

#include "lib/machine/nodes.h"
#include "lib/machine/site.h"

struct meet_call;

/* Hold the meetings that all members have joined, some of them among the nodes that ran in this phase; releases
 * the members, and gives how many. */
size_t meetings_hold(struct peal_machine *machine, const int32_t *ran, size_t count,
                     void (*release)(struct peal_machine *, struct node *));
void meetings_clear(struct peal_machine *machine);
/* The node no longer meets. */
void meet_forget(struct node *node);
/* Whether all members have joined. */
bool meet_is_held(const struct meet_call *call);
/* For a node that meets, in its last meeting: whether it waits for this one; visit all that have not come but still
 * may, until visit returns true. */
bool meet_lacks(const struct peal_machine *machine, const struct node *node, int rank);
bool meet_each_missing(const struct peal_machine *machine, const struct node *node,
                       bool (*visit)(void *state, int from, int peer), void *state);
/* Find a meeting that some node has joined, but not a member that `is_away`: which node, of how many, and where. */
struct meeting_missed {
    int came, away, size; /* ranks in the machine */
    struct call_site site;
};
bool meetings_find_missed(const struct peal_machine *machine, bool (*is_away)(const struct node *node),
                          struct meeting_missed *missed);
