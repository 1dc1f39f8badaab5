/* SPDX-License-Identifier: MIT */
/* The text of a placement, what follows the "@" of a spec: read, and turned into hosts of nodes.  Knows no network. */
#pragma once

#include <peal/network.h>

/* The most nodes that `hosts` hosts take; for a file or a list, the number that it has. */
uint64_t placement_nodes(const char *text, uint64_t hosts);

/* Place the nodes on `hosts` hosts of the network called `name`, or, for 0, on as many as it takes.
 *
 *   owner    free; NULL when refused
 *   errors   PEAL_USAGE for an unknown order, too few hosts, a node without a host, a host with too many nodes, a file
 *            that lists no nodes; PEAL_RESOURCES without memory                                                     */
struct peal_placement *placement_make(const char *text, int nodes, int hosts, const char *name,
                                      struct peal_error *error);
