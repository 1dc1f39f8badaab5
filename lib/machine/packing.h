/* SPDX-License-Identifier: MIT */
/* The frames of nodes that take turns on one stack. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For so many nodes; NULL without memory.  owner: packing_free */
struct packing *packing_make(int nodes, size_t stack_bytes);
void packing_free(struct packing *packing);

/* Keep the frames of a node that has parked, from `low` to the upper end of the stack, in place of those kept before;
 * false without memory. */
bool packing_keep(struct packing *packing, int rank, const uint64_t *low, const uint64_t *top);
/* Put them back there. */
void packing_restore(const struct packing *packing, int rank, uint64_t *low, uint64_t *top);
/* The node does not go on. */
void packing_forget(struct packing *packing, int rank);
