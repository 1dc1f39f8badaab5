/* SPDX-License-Identifier: MIT */
/* ring: a line whose last node has a wire to the first.  Of two routes of equal length the upward one is taken. */
#include "lib/network/grid.h"
#include "lib/network/shortest.h"

static enum peal_status
ring_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    return grid_create(network, extents, 1, true, error);
}

const struct topology topology_ring = {
    .name = "ring",
    .form = "ring:P",
    .summary = "nodes in a circle, the shorter way round",
    .routings = shortest_routings,
    .create = ring_create,
    GRID_MEMBERS,
    .route_graph = &grid_route_graph,
};
