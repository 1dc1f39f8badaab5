/* SPDX-License-Identifier: MIT */
/* Grids: nodes at whole-number coordinates, in row-major order, wires between neighbours in each dimension.  Open
 * (mesh, line) the wires end at the sides; closed (torus, ring) another one leads from the last coordinate back to
 * the first. */
#pragma once

#include "lib/network/network.h"

/* The routings of a grid: through the dimensions one after the other, or to the lowest next rank. */
enum grid_routing { GRID_LAST_FIRST, GRID_FIRST_FIRST, GRID_SHORTEST };
extern const char *const grid_routings[]; /* "xy", "yx", "shortest" */

/* The functions of struct topology. */
enum peal_status grid_create(struct peal_network *network, const char *extents, struct peal_error *error);
void grid_destroy(struct peal_network *network);
int grid_distance(const struct peal_network *network, int from, int to);
int grid_route(const struct peal_network *network, int from, int to, uint32_t *links);
size_t grid_steps(const struct peal_network *network, struct peal_transfer *transfers, size_t count, uint32_t *links);
int grid_stretches(const struct peal_network *network, int from, int to, struct stretch *stretches);
void grid_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last);
void grid_ends(const struct peal_network *network, uint32_t link, int *from, int *to);
int grid_eccentricity(const struct peal_network *network, int source);
extern const struct route_graph grid_route_graph;

/* clang-format off */
#define GRID_MEMBERS                    \
    .create = grid_create,              \
    .destroy = grid_destroy,            \
    .distance = grid_distance,          \
    .route = grid_route,                \
    .steps = grid_steps,                \
    .stretches = grid_stretches,        \
    .end_links = grid_end_links,        \
    .ends = grid_ends,                  \
    .eccentricity = grid_eccentricity
/* clang-format on */
