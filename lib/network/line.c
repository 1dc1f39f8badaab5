/* SPDX-License-Identifier: MIT */
/* line: node i has wires to i - 1 and i + 1. */
#include "lib/network/grid.h"
#include "lib/network/shortest.h"

static enum peal_status
line_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    return grid_create(network, extents, 1, false, error);
}

const struct topology topology_line = {
    .name = "line",
    .form = "line:P",
    .summary = "nodes in a row",
    .routings = shortest_routings,
    .create = line_create,
    GRID_MEMBERS,
};
