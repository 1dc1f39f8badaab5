/* SPDX-License-Identifier: MIT */
/* The words that a collective must move, from which bounds.c derives its lower bounds. */
#pragma once

#include <peal/form.h>

struct peal_demand {
    int reached;         /* how many nodes must get the data of one node, or one node theirs; 0, or more than P: all */
    int64_t node_words;  /* into or out of one node */
    bool one_node;       /* for the root; else for every node */
    int64_t total_words; /* sent by `share` nodes, averaged over all nodes */
    int64_t share;
    int64_t far_words; /* between the two farthest */
    bool packets;      /* node_words are P-1 separate packets */
    bool crosses;      /* every node has a packet for every other: cuts and distances bound it too */
    /* The hops that some message must go on the situation's network; NULL: from the root to the node farthest from it,
     * or without a root between the two nodes farthest apart. */
    int (*hops)(const struct peal_situation *situation);
    const char *source;
};

/* The demand of one node's vector, sent to all others; or of theirs, sent to it. */
static inline struct peal_demand
demand_of_vector(const struct peal_situation *situation, const char *source)
{
    int64_t words = (int64_t)situation->words;

    return (struct peal_demand){.node_words = words,
                                .total_words = (situation->nodes - 1) * words,
                                .share = situation->nodes,
                                .far_words = words,
                                .source = source};
}

/* The demand of a packet from one node for each other; or from each other. */
static inline struct peal_demand
demand_of_packets(const struct peal_situation *situation, const char *source)
{
    int64_t words = (int64_t)situation->words;

    return (struct peal_demand){
        .node_words = (situation->nodes - 1) * words, .far_words = words, .packets = true, .source = source};
}

/* Part i of a result is the block of node i. */
static inline void
origin_of_part(const struct peal_layout *layout, int rank, int part, struct peal_origin *origin)
{
    (void)rank;
    *origin = (struct peal_origin){.first = part, .last = part, .words = peal_layout_block(layout, part)};
}

/* The demands that two collectives share.  The last node needs the vectors of all. */
static inline void
demand_of_prefixes(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_vector(situation, "as a broadcast, reversed: the last node depends on all");
}

/* A block of every node goes to, or is combined for, every other. */
static inline void
demand_of_blocks(const struct peal_situation *situation, struct peal_demand *demand)
{
    *demand = demand_of_packets(situation, "Chan et al. 2007");
    demand->total_words = demand->node_words;
    demand->share = 1;
}
