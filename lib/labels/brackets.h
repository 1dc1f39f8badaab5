/* SPDX-License-Identifier: MIT */
/* The brackets of combinations: binary trees whose leaves are nodes.
 *
 * Each tree has one number in the process, so that two are equal if and only if their numbers are.  The two sides of a
 * combination are not ordered: floating-point addition commutes, but is not associative.
 *
 *   thread   one at a time in a process, as labels */
#ifndef LIB_LABELS_BRACKETS_H
#define LIB_LABELS_BRACKETS_H

#include <stddef.h>
#include <stdint.h>

/* The tree of a node's own word; of a combination of two.  0: unknown, also for want of memory. */
uint32_t bracket_leaf(int node);
uint32_t bracket_join(uint32_t a, uint32_t b);

/* The number of combinations on the longest path from the root to a leaf, which bounds the rounding error of a sum. */
int bracket_depth(uint32_t tree);

/* Write "x₀⊕(x₁⊕x₂)", ending in "…" where it does not fit. */
char *bracket_text(uint32_t tree, char *text, size_t bytes);

/* Forget all trees, and free their memory. */
void brackets_end(void);

#endif
