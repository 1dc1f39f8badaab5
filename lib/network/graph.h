/* SPDX-License-Identifier: MIT */
/* Networks that are a list of wires with capacities: their routes, for the topologies that make one.
 *
 * Nothing is known about such a network beforehand, so the next hop of every pair is in a table: 2 bytes per pair, 32
 * MiB at most; for routing best, the distance of every pair in another one. */
#pragma once

#include "lib/network/shortest.h"

enum { GRAPH_MAX_NODES = 4096, GRAPH_MAX_CAPACITY = UINT16_MAX };

struct graph_network; /* a network's own */

/* Make network->own a graph without wires.
 *
 *   owner    graph_destroy
 *   errors   PEAL_RESOURCES without memory       */
enum peal_status graph_create(struct peal_network *network, struct peal_error *error);

/* Add a wire between two nodes with a capacity of 1 or more.  A wire may be added again with the same capacity: gives
 * in *before its previous capacity, 0 where it is new.
 *
 *   errors   PEAL_RESOURCES without memory */
enum peal_status graph_add(struct peal_network *network, int a, int b, uint32_t capacity, uint32_t *before,
                           struct peal_error *error);

/* The number of wires. */
int graph_wires(const struct peal_network *network);

/* Find the routes, once all wires are there, and fill in links, capacities and diameter.  Gives in *apart a node that
 * cannot be reached from node 0, -1: none, and only then the network can be used.
 *
 *   errors   PEAL_RESOURCES without memory */
enum peal_status graph_finish(struct peal_network *network, int *apart, struct peal_error *error);

/* The members of struct topology. */
void graph_destroy(struct peal_network *network);
int graph_distance(const struct peal_network *network, int from, int to);
int graph_route(const struct peal_network *network, int from, int to, uint32_t *links);
void graph_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last);
void graph_ends(const struct peal_network *network, uint32_t link, int *from, int *to);
int graph_eccentricity(const struct peal_network *network, int source);
uint32_t graph_capacity(const struct peal_network *network, int from, int to);
extern const struct route_graph graph_route_graph;

/* Create a network of `nodes` nodes from the upper triangle of a matrix of capacities, row by row; 0: no wire.
 * `extents` is what follows the topology's name.
 *
 *   errors   PEAL_USAGE for another number of nodes, or for extents; PEAL_RESOURCES without memory        */
enum peal_status graph_of_matrix(struct peal_network *network, const char *extents, int nodes, const uint8_t *matrix,
                                 struct peal_error *error);

/* clang-format off */
#define GRAPH_MEMBERS                    \
    .routings = shortest_routings,       \
    .destroy = graph_destroy,            \
    .distance = graph_distance,          \
    .route = graph_route,                \
    .end_links = graph_end_links,        \
    .ends = graph_ends,                  \
    .eccentricity = graph_eccentricity,  \
    .capacity = graph_capacity,          \
    .route_graph = &graph_route_graph
/* clang-format on */
