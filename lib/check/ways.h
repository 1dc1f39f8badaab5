/* SPDX-License-Identifier: MIT */
/* The ways in which a check calls a function, besides once: each alone, and pairs of them. */
#pragma once

#include <peal/check.h>

/* The sizes with which a function is called in other ways than once: nothing empty, short or longer; with something
 * empty; or of equal lengths. */
enum called_size { CALLED_SHORT, CALLED_LONG, CALLED_EMPTY, CALLED_EVEN, CALLED_SIZES };

/* A way: alone with each of these sizes and the first and the last delivery; or one of a covering array, with one. */
struct called_way {
    unsigned call; /* a set of enum peal_check_call */
    bool in_place;
    bool combined; /* with this size and delivery: */
    enum called_size size;
    bool eager;
};

enum { MAX_WAYS = 32 };

/* Whether the way combines several things. */
static inline bool
way_is_several(const struct called_way *way)
{
    return (way->call & (way->call - 1)) != 0 || (way->call && way->in_place);
}

/* Among the ways of calling: two calls; a machine of more nodes than the case; the check's own datatypes. */
enum {
    CALLS_TWO = PEAL_CALL_TWICE | PEAL_CALL_TWO_COMMS | PEAL_CALL_HALVES | PEAL_CALL_OVERLAP,
    CALLS_MORE_NODES = PEAL_CALL_IN_GROUP | PEAL_CALL_HALVES | PEAL_CALL_OVERLAP,
    CALLS_ON_OTHERS = CALLS_MORE_NODES | PEAL_CALL_TWO_COMMS,
    CALLS_TYPES = PEAL_CALL_SPACED | PEAL_CALL_STRUCT,
    CALLS_OTHER_FIRST = PEAL_CALL_ROOTS | PEAL_CALL_SIZES,
    CALLS_ALL = (1 << PEAL_CALLS) - 1
};

/* The kinds of case that the form of the call has, whatever is asked for: bits. */
unsigned ways_kinds(const struct peal_check *check);

/* Whether `nodes` nodes can call in this way; otherwise `why` says why not, to follow a comma; else "". */
bool ways_fit(const struct peal_check *check, int nodes, unsigned call, const char **why);

/* List the ways for `nodes` nodes, once first, and give their number.  A check of a single case has one. */
int ways_list(const struct peal_check *check, int nodes, struct called_way ways[MAX_WAYS]);

/* Whether a function for MPI takes one buffer, which is changed in place: `buffer`, and no sendbuf. */
bool ways_one_buffer(const struct peal_check *check);

/* Whether own blocks, or with MPI's signature any buffer, can be in place. */
bool ways_allow_in_place(const struct peal_check *check);
