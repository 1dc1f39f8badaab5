/* SPDX-License-Identifier: MIT */
/* The two arms of the line of ranks, as seen from a root: a packet a round goes a rank on. */
#ifndef ALGORITHMS_ARMS_H
#define ALGORITHMS_ARMS_H

#include "closed.h"

/* How many nodes are on either arm, and where a node is: on an arm of `length` nodes, `away` from the root (0 the root). */
struct arms {
    int nodes, root;
    int up, down;
    int length, away, direction; /* 1 up, -1 down */
};

/* On a ring or a full network half of the nodes on either arm; else they end with the ranks. */
struct arms arms_of(const struct peal_network *network, int nodes, int root, int rank);

/* The rank so far away from the root on the arm of this direction. */
int arms_rank(const struct arms *arms, int direction, int away);

/* Add the rounds in which a block for (or from) every node goes along its arm, one after the other. */
void arms_closed(struct closed *sum);

#endif
