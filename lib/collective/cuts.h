/* SPDX-License-Identifier: MIT */
/* Lower bounds by cuts: the words that must leave a set of nodes, divided by the capacity of the links out of it, bound
 * β.
 *
 * In a round no link of capacity c carries more than c words for each that is charged: x messages of at most n words
 * are charged at least n·⌈x/c⌉, and V words, by volume, ⌈V/c⌉; under store-forward no less.
 *
 * Exact with at most CUT_ENUMERATED vertices and one node per host: every cut with connected sides that may be
 * better is tried.  Otherwise cuts are found by maximum flow, for one node at a time, from the words that all others
 * get from it, or it from all others: exact except for all-to-all, scans and shifts (for all-gather that is
 * ForestColl, arXiv 2402.06787).  None where the nodes times the links are more than CUT_WORK, and on the full network,
 * whose narrowest cut is a node's links. */
#pragma once

#include <peal/form.h>
#include <peal/network.h>

enum { CUT_ENUMERATED = 20, CUT_WORK = 1 << 18 };

/* Find the cut with the most words for its capacity; of equal ones the one with the fewest nodes on a side.  Returns
 * false if there is none, or without memory. */
bool cut_find(const struct peal_situation *situation, struct peal_cut *cut);

struct flow;

/* Make one for the vertices and links of a network, and an extra source; NULL without memory. */
struct flow *flow_create(const struct peal_network *network);
void flow_destroy(struct flow *flow); /* NULL: nothing */

/* Find the maximum flow to `sink` if every link has `scale` times its capacity and the source a link of capacity
 * weights[v] to every node v; and the vertices on the source's side of a minimum cut.  All sums must fit in 63 bits. */
int64_t flow_run(struct flow *flow, int64_t scale, const int64_t *weights, int sink, bool *source_side);

/* The combinations of `words` words from `index` on, of the nodes first .. last. */
struct piece {
    int first, last;
    size_t index, words;
    int node;                 /* the node that wants it; while listed, one entry per node */
    int wanted, wanted_count; /* its nodes are wanting[wanted .. wanted + wanted_count) */
};

struct demands {
    const struct peal_network *network;
    int nodes, vertices;
    bool shared;         /* some host has several nodes: the lowest of them has its links */
    struct piece *piece; /* sorted by index, then operands */
    int pieces, *wanting;
    uint64_t unit; /* all words are counted in units of this many */
};

/* The best so far, in units; words / capacity. */
struct cut_found {
    uint64_t words, capacity; /* 0: none */
    int nodes;                /* on the smaller side */
    bool *out_of;             /* the nodes that the words must leave */
};

/* Whether a cut is better than the best so far. */
bool cut_is_better(const struct cut_found *found, uint64_t words, uint64_t capacity, int nodes);

/* Go over the cuts of at most CUT_ENUMERATED vertices, beginning with those around a node.  False without memory. */
bool cut_walk(const struct demands *demands, struct cut_found *found);
