/* SPDX-License-Identifier: MIT */
/* Scanning up a binary tree and down again: higher ranks receive from lower ones, and each link carries one message a
 * round. */
#pragma once

#include "../catalog.h"

/* Scan a, n words, over the ranks first .. P-1, the node's own among them: it gets the sum of those from `first` to
 * itself. */
void sweep(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int first);

/* Add its rounds.  Not known in more dimensions than one unless first is 0 and all extents are powers of two. */
void sweep_closed(struct closed *sum, int first);
