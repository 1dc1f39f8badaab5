/* SPDX-License-Identifier: MIT */
/* What the two ways to find a cut share: the words that are wanted, and the best cut so far. */
#ifndef LIB_COLLECTIVE_CUT_PARTS_H
#define LIB_COLLECTIVE_CUT_PARTS_H

#include "lib/collective/cuts.h"

/* The combinations of `words` words from `index` on, of the nodes first .. last. */
struct piece {
    int first, last;
    size_t index, words;
    int node;                 /* the node that wants it; while listed, one entry a node */
    int wanted, wanted_count; /* its nodes are wanting[wanted .. wanted + wanted_count) */
};

struct demands {
    const struct peal_network *network;
    int nodes, vertices;
    struct piece *piece; /* by index, then operands */
    int pieces, *wanting;
    uint64_t unit; /* all words are counted in units of so many */
};

/* The best so far, in units; words / capacity. */
struct cut_found {
    uint64_t words, capacity; /* 0: none */
    int nodes;                /* of the lesser side */
    bool *out_of;             /* the nodes that the words must leave */
};

/* Whether a cut is better than the best so far. */
bool cut_is_better(const struct cut_found *found, uint64_t words, uint64_t capacity, int nodes);

/* Go over the cuts of at most CUT_ENUMERATED vertices, beginning with those around a node.  False without memory. */
bool cut_walk(const struct demands *demands, struct cut_found *found);

#endif
