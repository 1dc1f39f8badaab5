/* SPDX-License-Identifier: MIT */
/* The two arms of the line of ranks, as seen from a root: each round a packet moves on by one rank. */
#pragma once

#include "../catalog.h"

/* The lengths of both arms, and the place of a node: on an arm of `length` nodes, `away` from the root (0: the
 * root). */
struct arms {
    int nodes, root;
    int up, down;
    int length, away, direction; /* 1 up, -1 down */
};

/* On a ring or a full network each arm has half of the nodes; otherwise the arms end with the ranks. */
struct arms arms_of(const struct peal_network *network, int nodes, int root, int rank);

/* The rank at this distance from the root on the arm of this direction. */
int arms_rank(const struct arms *arms, int direction, int away);

/* Add the rounds in which a block for (or from) every node goes along its arm, one after the other. */
void arms_closed(struct closed *sum);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text arms_texts[];
