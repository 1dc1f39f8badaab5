/* SPDX-License-Identifier: MIT */
/* Where the nodes of a plan have labels: a hash table. */
#ifndef LIB_PLAN_SLOTS_H
#define LIB_PLAN_SLOTS_H

#include "lib/plan/plan.h"

/* Where a node has a label. */
struct slot {
    uint64_t label; /* 0: a free place of the table */
    int node;
    struct peal_plan_place place;
};

/* Labels by node and number, with linear probing.  Zeroed is empty; the caller frees slots->slots. */
struct slots {
    struct slot *slots;
    size_t mask, used;
};

/* Put a label, unless it is there; false without memory. */
bool slots_put(struct slots *slots, int node, uint64_t label, struct peal_plan_place place);

/* Find one; NULL: it is nowhere. */
const struct slot *slots_find(const struct slots *slots, int node, uint64_t label);

#endif
