/* SPDX-License-Identifier: MIT */
/* torus: a grid of one or more dimensions, each closed to a ring.  A dimension of two nodes has one wire. */
#include "lib/network/grid.h"

static enum peal_status
torus_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    return grid_create(network, extents, 0, true, error);
}

const struct topology topology_torus = {
    .name = "torus",
    .form = "torus:AxBx..",
    .summary =
        "a mesh closed in every dimension, the shorter way round; xy walks along the row first, yx along it last",
    .routings = grid_routings,
    .create = torus_create,
    GRID_MEMBERS,
    .route_graph = &grid_route_graph,
};
