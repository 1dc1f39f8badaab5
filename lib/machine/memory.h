/* SPDX-License-Identifier: MIT */
/* Blocks of memory that a node has from the machine. */
#pragma once

#include "lib/machine/nodes.h"

/* Free the blocks of a view; those kept for later; all of them. */
void memory_leave(struct peal_node *view);
void memory_clear(struct node *node);
void memory_release(struct node *node);
