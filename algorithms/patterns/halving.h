/* SPDX-License-Identifier: MIT */
/* Recursive halving of a node range, the schedule of every `rda` algorithm.
 *
 * A node that holds the blocks of a range of nodes cuts the range into halves, keeps its own half, and gives the other
 * to that half's node nearest to it.  A line is its own range; a ring's range starts at the source; a mesh or torus is
 * halved dimension by dimension, the slowest first, so that a half is always a span of ranks.  Every node computes its
 * own part of the schedule without communication. */
#pragma once

#include "../catalog.h"

/* The half of an odd range that its holder keeps. */
enum keeps { KEEPS_GREATER, KEEPS_SMALLER };

/* One message, as seen by the node that sends or receives it. */
struct halving_step {
    int round; /* t of round t + 1 */
    bool gives; /* the node gives the part to `partner`; else it gets it */
    int partner;
    struct span part; /* the nodes of the half that is given away */
};

/* All steps of one node, in the order of the rounds; the first is the one it receives in, unless it is the source. */
struct halving {
    int rounds; /* of the whole schedule */
    int count;
    struct halving_step steps[40]; /* at most Σ⌈log₂zᵢ⌉ of them: 2·log₃2³¹ = 39.1, when every extent is 3 */
};

/* The steps of node `rank` if `source` has everything, on a line, ring, mesh or torus. */
void halving_steps(struct halving *halving, const struct peal_network *network, int source, int rank, enum keeps keeps);

/* Scatter by this schedule. */
void halving_scatter(struct peal_node *me, enum keeps keeps, const void *in, const struct peal_blocks *blocks, int root,
                     void *out);

/* Add the rounds of the schedule to a closed form: bundles of m words a node, or whole vectors of m words. */
void halving_closed(struct closed *sum, enum keeps keeps, bool bundles);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text rda_greater_texts[];
