/* SPDX-License-Identifier: MIT */
/* Lower bounds by cuts: the words that must leave a set of nodes, divided by the capacity of the links out of it, bound
 * β.
 *
 * In a round no link of capacity c carries more than c words for each that is charged: x messages of at most n words
 * are charged n·⌈x/c⌉ at least, by volume V words ⌈V/c⌉; under store-forward no less.
 *
 * Exact with at most CUT_ENUMERATED vertices: every cut is tried that has connected sides and may be better.  Otherwise
 * cuts are found by maximum flow, from the words that every node gets from one at a time, or one from every node: exact
 * except for all-to-all, scans and shifts (for all-gather that is ForestColl, arXiv 2402.06787).  None where the nodes
 * times the links are more than CUT_WORK, and on the full network, whose narrowest cut is a node's links. */
#ifndef LIB_COLLECTIVE_CUTS_H
#define LIB_COLLECTIVE_CUTS_H

#include <peal/form.h>

enum { CUT_ENUMERATED = 20, CUT_WORK = 1 << 18 };

/* Find the cut with the most words for its capacity; of equal ones the one with the fewest nodes on a side.  Returns
 * false if there is none, or without memory. */
bool cut_find(const struct peal_situation *situation, struct peal_cut *cut);

#endif
