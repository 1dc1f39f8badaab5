/* SPDX-License-Identifier: MIT */
/* torus: a grid of one or more dimensions, each closed to a ring.  A dimension of two nodes has one wire. */
#include "lib/network/grid.h"

const struct topology topology_torus = {
    .name = "torus",
    .form = "torus:AxBx..",
    .summary =
        "a mesh closed in every dimension, the shorter way round; xy walks along the row first, yx along it last",
    .routings = grid_routings,
    .closed = true,
    GRID_MEMBERS,
    .route_graph = &grid_route_graph,
};
