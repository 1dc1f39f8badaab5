/* SPDX-License-Identifier: MIT */
/* Waiting for requests that a node has let go. */
#pragma once

#include "lib/machine/nodes.h"

/* Wait until all requests that the node has let go are complete; with a view, those of its strand. */
void node_settle(struct node *node, const struct peal_node *view);
