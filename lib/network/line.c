/* SPDX-License-Identifier: MIT */
/* line: node i has wires to i - 1 and i + 1. */
#include "lib/network/grid.h"
#include "lib/network/shortest.h"

const struct topology topology_line = {
    .name = "line",
    .form = "line:P",
    .summary = "nodes in a row",
    .routings = shortest_routings,
    .dimensions = 1,
    GRID_MEMBERS,
};
