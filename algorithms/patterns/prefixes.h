/* SPDX-License-Identifier: MIT */
/* Exclusive scans by shifts: each round doubles the number of ranks before a node that its sum covers. */
#pragma once

#include "../catalog.h"

/* Scan a, n words: node i > 0 gets the sum of the nodes before it.  In round k (from 0) nodes add their own vector to
 * what they send if bit k of `own` is set; bit 0 is. */
void prefixes(struct peal_node *me, const struct peal_op *op, void *a, size_t n, uint32_t own);

/* Add its rounds. */
void prefixes_closed(struct closed *sum, uint32_t own);

/* The number of its rounds on P nodes. */
int prefixes_rounds(int P, uint32_t own);
