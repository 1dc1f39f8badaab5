/* SPDX-License-Identifier: MIT */
/* Memory of a linked program that is not on the heap: variables, its own and those of shared objects, and the contents
 * of a node's stack. */
#pragma once

#include "lib/machine/nodes.h"
#include <peal/watch.h>

/* Whether the address lies on the node's own stack. */
bool named_on_stack(const struct node *node, const void *address);

/* Find the variable in which the address lies. */
bool named_find(struct node *node, const void *address, struct peal_block *block);

/* Find the variable of a function, or the function's frame, in which an address on the stack lies; otherwise the stack
 * itself.  This is called within the program's call that returns to `call` (NULL: its last call). */
void named_find_on_stack(struct node *node, const void *address, const void *call, struct peal_block *block);
