/* SPDX-License-Identifier: MIT */
/* Memory of a linked program that was not allocated: variables, its own and those of shared objects, and what lies on
 * the stack of a node. */
#pragma once

#include "lib/machine/nodes.h"
#include <peal/watch.h>

/* Whether the address lies on the node's own stack. */
bool named_on_stack(const struct node *node, const void *address);

/* Find the variable in which the address lies. */
bool named_find(struct node *node, const void *address, struct peal_block *block);

/* Find the variable of a function, or the function's frame, in which an address on the stack lies; else it is the
 * stack.  The program has made a call that returns to `call` (NULL: the last that it made), within
 * which this is called. */
void named_find_on_stack(struct node *node, const void *address, const void *call, struct peal_block *block);
