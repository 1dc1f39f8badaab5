/* SPDX-License-Identifier: MIT */
/* mesh: a grid of one or more dimensions, open at its sides. */
#include "lib/network/grid.h"

static enum peal_status
mesh_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    return grid_create(network, extents, 0, false, error);
}

const struct topology topology_mesh = {
    .name = "mesh",
    .form = "mesh:AxBx..",
    .summary = "nodes at grid points, row by row; xy walks along the row first, yx along it last",
    .routings = grid_routings,
    .create = mesh_create,
    GRID_MEMBERS,
    .route_graph = &grid_route_graph,
};
