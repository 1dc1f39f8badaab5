/* SPDX-License-Identifier: MIT */
/* Two binary trees over all nodes but the root, in which every node is a leaf of one: together they keep every port
 * busy.
 *
 * Pieces 0, 2, 4, .. go down the first tree, 1, 3, 5, .. down the second.  The plan is a broadcast; in reverse it is a
 * reduce. */
#pragma once

#include "trees.h"

/* The plan of node `me`; `streams` must live as long as it is used. */
struct pipeline two_trees_plan(struct streams *streams, const struct peal_node *me, int root, int pieces);

/* Add the cost, B + D rounds; known only on a full network; D is about 2log₂P. */
void two_trees_closed(struct closed *sum, int pieces);

/* The best number of pieces; for P = 3 within a word. */
int two_trees_pieces(const struct peal_situation *situation);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text two_tree_texts[];
