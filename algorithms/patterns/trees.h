/* SPDX-License-Identifier: MIT */
/* Trees for pipelines: parents and children, and the round in which each piece crosses an edge, as broadcasts.
 *
 * A node v gets piece j in round a(v) + s·j from its parent u; the root has a = 0, the first child of u has a(u) + 1,
 * the second a(u) + 2: then u sends each piece to both children alternately. */
#pragma once

#include "pieces.h"

/* The chain of ranks root, root + 1, .., round the end; s = 1. */
struct pipeline chain_plan(struct streams *streams, const struct peal_node *me, int root, int pieces);
void chain_closed(struct closed *sum, int pieces);
int chain_pieces(const struct peal_situation *situation);

/* The binary heap: children of x, relative to the root, are 2x+1 and 2x+2; s = 2. */
struct pipeline binary_plan(struct streams *streams, const struct peal_node *me, int root, int pieces);
void binary_closed(struct closed *sum, int pieces);
int binary_pieces(const struct peal_situation *situation);

/* a(x) of the heap: the sum of the turns on the way from the root. */
int heap_turns(int x);

/* The most turns in a heap of this many nodes. */
int heap_most_turns(int nodes);

/* In-order trees on 1 .. n: a node is a multiple of its lowest set bit h and lies between the subtrees of v-h+1 .. v-1
 * and v+1 .. v+h-1, as far as they exist.  The parent, 0 for the top; the children, 0 for none. */
int in_order_parent(int v, int n);
int in_order_top(int n);
int in_order_left(int v);
int in_order_right(int v, int n);

/* The in-order tree of a root: the ranks below it and the ranks above it make an in-order tree each, whose tops are its
 * children.  Subtrees are ranges of ranks, and a node lies between those of its children; s = 2. */
struct pipeline in_order_plan(struct streams *streams, const struct peal_node *me, int root, int pieces);
void in_order_closed(struct closed *sum, int pieces);
int in_order_pieces(const struct peal_situation *situation);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text chain_texts[], scan_chain_texts[], binary_texts[];
