/* SPDX-License-Identifier: MIT */
/* ring: a line whose last node has a wire to the first.  Of two routes of equal length the upward one is taken. */
#include "lib/network/grid.h"
#include "lib/network/shortest.h"

const struct topology topology_ring = {
    .name = "ring",
    .form = "ring:P",
    .summary = "nodes in a circle, the shorter way round",
    .routings = shortest_routings,
    .dimensions = 1,
    .closed = true,
    GRID_MEMBERS,
    .route_graph = &grid_route_graph,
};
