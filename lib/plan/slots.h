/* SPDX-License-Identifier: MIT */
/* Where the nodes of a plan have labels. */
#pragma once

#include "lib/base/map.h"
#include "lib/plan/plan.h"

/* Where a node has a label. */
struct slot {
    uint64_t label;
    int node;
    struct peal_plan_place place;
};

/* Zeroed is empty.  A slot stays at its address until the next one is put. */
struct slots {
    struct slot *slots;
    size_t count, room;
    struct map by_name; /* by a hash of node and label */
};

/* Put a label, unless it is there; false without memory. */
bool slots_put(struct slots *slots, int node, uint64_t label, struct peal_plan_place place);

/* Find one; NULL: the node does not have it. */
const struct slot *slots_find(const struct slots *slots, int node, uint64_t label);

void slots_fini(struct slots *slots);
