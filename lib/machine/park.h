/* SPDX-License-Identifier: MIT */
/* Parking nodes, and passing carriers on. */
#pragma once

#include "lib/machine/nodes.h"

struct carrier;
struct peal_machine;

/* Park the running node until a round releases it; does not return when the run is over by then.  A node with strands
 * runs those meanwhile. */
void node_park(struct node *node, enum node_state state);
/* Park the node with all of its strands. */
void node_park_whole(struct node *node, enum node_state state);
/* The carrier's next node, NULL at the end of its list; the node whose turn is next when this one has parked, NULL:
 * none, or the engine finds it. */
struct node *carrier_take(struct carrier *carrier, struct peal_machine *machine);
struct node *node_next(struct node *node);
/* Note for the round what it needs to know of a node that parks. */
void node_set_state(struct node *node, enum node_state state);
/* Leave the node's program, from any of its strands. */
_Noreturn void node_leave(struct node *node, enum node_exit way);
/* After a signal, whatever is on its stack: end the running node. */
_Noreturn void node_restart(struct node *node, enum node_exit way);
