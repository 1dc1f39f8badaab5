/* SPDX-License-Identifier: MIT */
/* Waiting for what a node has let go. */
#pragma once

#include "lib/machine/nodes.h"

/* Wait until all requests are complete that the node has let go, with a view those that its strand has. */
void node_settle(struct node *node, const struct peal_node *view);
