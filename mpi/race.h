/* SPDX-License-Identifier: MIT */
/* Races: two accesses to a window that conflict and that nothing orders, and what is said of them. */
#pragma once

#include <peal/machine.h>

enum { MAX_RACES = 4 }; /* of one access */

struct race {
    struct peal_place places[2];
    const char *calls[2];
    bool local[2];
    bool undefined; /* wrong but for the value */
    int owner;
    size_t bytes;
};

/* One side of a race. */
struct race_side {
    int node;
    const char *site, *call;
    bool local;
};

/* Races of one access, found with the lock and told without. */
struct race_list {
    struct race list[MAX_RACES];
    int count;
};

/* Note the race of two accesses to the same bytes of the owner's. */
void race_note(struct race *race, struct race_side a, struct race_side b, int owner, size_t bytes);

void race_tell(struct peal_node *me, const struct race *race);
void races_tell(struct peal_node *me, const struct race_list *races);
