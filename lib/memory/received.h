/* SPDX-License-Identifier: MIT */
/* The last messages that nodes of watched linked programs received: where another node's address came from. */
#pragma once

#include "lib/machine/nodes.h"

/* A run begins; a node has received these bytes in the call at `code`. */
void received_clear(void);
void received_note(int rank, const char *begin, size_t bytes, const char *code);

/* Find the call by which the node received this address of another node, or one in the same block; NULL: none is
 * remembered. */
const char *received_from(const struct node *node, uintptr_t address);
