/* SPDX-License-Identifier: MIT */
/* Spanning balanced n-trees of the hypercube of 2^n nodes: n subtrees of nearly one size, one on each link of the root,
 * and the schedule by which an all-port root serves them all at once, farthest nodes first. */
#pragma once

#include "../catalog.h"

enum sbnt_kind { SBNT_PLAIN, SBNT_BALANCED };

/* Scatter all of the root's blocks over the tree, or gather them there.  all: the address of P blocks, used at the root
 * only; own: the node's own block, which at the root is among the others.  Every node of a hypercube calls it.  It
 * takes a node O(P log²P) steps, and lists of 12 bytes for each block that goes through it. */
void sbnt_scatter(struct peal_node *me, enum sbnt_kind kind, const void *all, const struct peal_blocks *blocks,
                  int root, void *own);
void sbnt_gather(struct peal_node *me, enum sbnt_kind kind, void *all, const struct peal_blocks *blocks, int root,
                 const void *own);

/* Add the rounds, up to n = 14, for which message lengths were enumerated. */
void sbnt_closed(struct closed *sum, enum sbnt_kind kind);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text sbnt_texts[], sbnt_plain_texts[];
