/* SPDX-License-Identifier: MIT */
/* The Bine tree of 2^q nodes on a ring: in both directions alternately, at distances 1, 1, 3, 5, 11, .. */
#pragma once

#include "../catalog.h"

/* The relative node that `node` exchanges with in a step; where the root sends, steps count down from q-1 to 0. */
int bine_partner(int nodes, int node, int step);

/* The step in which `node` receives, q for the root, and the sender. */
int bine_heard(int nodes, int node, int *parent);

/* The nodes that `node` represents in the steps below `step`, itself included: 2^step neighbours on the ring. */
struct span bine_subtree(int root, int nodes, int node, int step);

/* Add the rounds, with bundles of m words a node.  Known only on full networks and rings. */
void bine_closed(struct closed *sum);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text bine_block_texts[];
