/* SPDX-License-Identifier: MIT */
/* The binomial tree as closed forms: one derivation for the scatters, gathers and broadcasts that use it. */
#ifndef ALGORITHMS_BINOMIAL_H
#define ALGORITHMS_BINOMIAL_H

#include "closed.h"

/* What a message of the tree carries to a node that stands for the relative nodes l .. r-1. */
enum carries {
    CARRIES_BUNDLE, /* a block of m words for each of them */
    CARRIES_PARTS,  /* the parts l .. r-1 of n words in P parts */
    CARRIES_VECTOR  /* n words */
};

/* Add the rounds of the tree.  Not known on meshes from a root other than 0 or with extents (but the first) that are no
 * powers of two, nor on tori unless all are. */
void binomial_closed(struct closed *sum, enum carries carries);

/* Add the rounds of the tree that gives to the nearest first, with bundles or vectors.  Not known on lines, meshes and tori from a root
 * other than 0, nor on grids as above. */
void binomial_near_closed(struct closed *sum, enum carries carries);

/* Add the rounds of the tree with K-1 children a level, far-first, with bundles or vectors, K >= 2.  Not known, but for K = 2, from a
 * root other than 0 on any network with routes except rings, nor where the extents (on a mesh, but the first) are no powers
 * of K, nor on a hypercube if K is none of 2. */
void knomial_closed(struct closed *sum, enum carries carries, int K);

#endif
