/* SPDX-License-Identifier: MIT */
/* What a group keeps of its collective calls: calls.c notes them, lib/report says which differ or are missing. */
#pragma once

#include "lib/machine/machine.h"
#include <peal/author.h>

/* One node's call. */
struct node_call {
    struct peal_call call;
    const char *file;
    int line;
    int rank; /* in the whole machine; -1: none */
};

/* The types of one node's data, where it declared them: see peal_call_types. */
struct typed {
    uint64_t note; /* 0: not known */
    const char *types, *file;
    int line;
    int rank; /* in the whole machine; -1: none */
};

/* The n-th call of a group. */
struct together {
    uint32_t kind;                 /* of all these calls; 0: not known */
    uint32_t call;                 /* its number in callers.c; 0: not kept */
    uint32_t contexts;             /* of strands: the first of two; 0: none */
    struct node_call first, other; /* the lowest rank's; the lowest rank's that differs */
    struct typed typed, odd;       /* likewise for the types */
    bool reported;                 /* that the types differ */
    int count;                     /* members that have made it */
};

struct calls {
    uint32_t *made;             /* by rank in the group: the number of calls made */
    struct together *ring;      /* the n-th lies at n % room */
    uint32_t base, count, room; /* calls base .. base + count - 1 are kept; all members made the earlier ones */
};

static inline struct together *
calls_at(const struct calls *calls, uint32_t number)
{
    return &calls->ring[number & (calls->room - 1)];
}

/* Drop the calls that all members have made without a difference. */
static inline void
calls_forget_complete(struct calls *calls, int members)
{
    while (calls->count > 0 && calls_at(calls, calls->base)->count == members &&
           calls_at(calls, calls->base)->other.rank < 0 && calls_at(calls, calls->base)->odd.rank < 0) {
        calls->base++;
        calls->count--;
    }
}

/* The first difference between two calls. */
enum calls_difference {
    CALLS_SAME,
    CALLS_COLLECTIVES,
    CALLS_ROOTS,
    CALLS_ONE_UNEQUAL, /* only one of them gives the lengths of all blocks */
    CALLS_SIZES,
    CALLS_DISTANCES,
    CALLS_OPERATORS,
    CALLS_LENGTHS,
    CALLS_LISTS,
    CALLS_ALGORITHMS
};
enum calls_difference calls_difference(const struct peal_call *a, const struct peal_call *b);

/* Note a strand that the node starts, as a call of its group.  Gives the first of two contexts that all
 * members' strands of this call share: that of its messages and that of its collectives. */
uint32_t calls_strand(struct peal_node *me, const struct peal_call *call);
/* Forget the calls of a run; free the memory. */
void calls_clear(struct group *group);
void calls_fini(struct group *group);
