/* SPDX-License-Identifier: MIT */
/* mesh: a grid of one or more dimensions, open at its sides. */
#include "lib/network/grid.h"

const struct topology topology_mesh = {
    .name = "mesh",
    .form = "mesh:AxBx..",
    .summary = "nodes at grid points, row by row; xy walks along the row first, yx along it last",
    .routings = grid_routings,
    GRID_MEMBERS,
    .route_graph = &grid_route_graph,
};
