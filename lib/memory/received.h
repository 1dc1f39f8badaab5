/* SPDX-License-Identifier: MIT */
/* What nodes of watched linked programs have received last: where another node's address came from. */
#pragma once

#include "lib/machine/nodes.h"

/* A run begins; a node has received these bytes in the call at `code`. */
void received_clear(void);
void received_note(int rank, const char *begin, size_t bytes, const char *code);

/* Find the call by which the node received this address of another node's, or one of the same block; NULL: none that is
 * remembered. */
const char *received_from(const struct node *node, uintptr_t address);
