/* SPDX-License-Identifier: MIT */
/* The binomial tree as closed forms: one derivation for the scatters, gathers and broadcasts that use it. */
#pragma once

#include "../catalog.h"

/* The contents of a message of the tree to a node that represents the relative nodes l .. r-1. */
enum carries {
    CARRIES_BUNDLE, /* a block of m words for each of them */
    CARRIES_PARTS,  /* the parts l .. r-1 of n words in P parts */
    CARRIES_VECTOR  /* n words */
};

/* Add the rounds of the tree.  Unknown on meshes from a root other than 0 or with extents (but the first) that are not
 * powers of two, and on tori unless all are. */
void binomial_closed(struct closed *sum, enum carries carries);

/* Add the rounds of the near-first tree, with bundles or vectors.  Unknown on lines, meshes and tori from a root other
 * than 0, and on grids as above. */
void binomial_near_closed(struct closed *sum, enum carries carries);

/* Add the rounds of the tree with K-1 children a level, far-first, with bundles or vectors, K >= 2.  Except for K = 2,
 * unknown from a root other than 0 on any network with routes except rings, where the extents (on a mesh, but the
 * first) are not powers of K, and on a hypercube if K is not a power of 2. */
void knomial_closed(struct closed *sum, enum carries carries, int K);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text binomial_block_texts[], there_and_back_texts[], k_nomial_block_texts[],
    k_nomial_vector_texts[], k_port_texts[], binomial_near_block_texts[];
