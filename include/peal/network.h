/* SPDX-License-Identifier: MIT */
/* Networks: a topology, its extents and a routing.  Immutable once created; any thread may ask. */
#ifndef PEAL_NETWORK_H
#define PEAL_NETWORK_H

#include <peal/base.h>

PEAL_BEGIN

enum { PEAL_MAX_DIMENSIONS = 32 };

struct peal_network;

/* Create the network that `spec` ("full", "line:8", "mesh:3x3", "torus", "hypercube:3") names, for `nodes` nodes.
 * Extents that are left out are chosen, as square as it goes.  `routing` NULL is the topology's own.
 *
 *   owner    the caller destroys it
 *   errors   PEAL_USAGE for an unknown topology or routing (says which is nearest), for extents that do not make
 *            `nodes` (says which would), for nodes < 1
 *            PEAL_RESOURCES without memory                                                                   */
PEAL_API struct peal_network *peal_network_create(const char *spec, int nodes, const char *routing,
                                                  struct peal_error *error);
PEAL_API void peal_network_destroy(struct peal_network *network);

/* How many nodes there are: P. */
PEAL_API int peal_network_nodes(const struct peal_network *network);

/* How many switches there are (fat tree, dragonfly): vertices that run no program and only lie on paths, where they are
 * called P, P + 1, ... */
PEAL_API int peal_network_switches(const struct peal_network *network);

/* The kind ("mesh"), the full name ("mesh:3x3"), the routing's name ("xy").  Live as long as the network. */
PEAL_API const char *peal_network_kind(const struct peal_network *network);
PEAL_API const char *peal_network_name(const struct peal_network *network);
PEAL_API const char *peal_network_routing(const struct peal_network *network);

/* The extents: gives up to PEAL_MAX_DIMENSIONS numbers, the first is the slowest in row-major order; returns how many.
 * A line, ring or full network has one dimension of P; a hypercube has as many as it has dimensions, each of 2. */
PEAL_API int peal_network_extents(const struct peal_network *network, int extents[PEAL_MAX_DIMENSIONS]);

/* The number of hops of the route from one node to another; 0 to oneself. */
PEAL_API int peal_network_distance(const struct peal_network *network, int from, int to);

/* The nodes and switches on the route, both ends included, into path[0 .. distance]; returns the number of hops. */
PEAL_API int peal_network_path(const struct peal_network *network, int from, int to, int *path);

/* The wires are numbered from 0 below peal_network_wires, with gaps where the topology leaves some; a wire is two links, one
 * a direction.  Give the two vertices that wire i joins; false for a number that no wire has.  A network "full" has none to
 * list, as every ordered pair of nodes has a link of its own: 0 wires. */
PEAL_API uint64_t peal_network_wires(const struct peal_network *network);
PEAL_API bool peal_network_wire(const struct peal_network *network, uint64_t i, int *from, int *to);

/* The greatest distance from `source` to any node; the greatest of all; the number of directed links;
 * the number of directed links from one half of the ranks to the other at the narrowest place (0 where not known). */
PEAL_API int peal_network_eccentricity(const struct peal_network *network, int source);
PEAL_API int peal_network_diameter(const struct peal_network *network);
PEAL_API uint64_t peal_network_links(const struct peal_network *network);
PEAL_API uint64_t peal_network_bisection(const struct peal_network *network);

/* The i-th topology this build knows, its form ("mesh:AxBx..") and one line about it; false when there are no more. */
PEAL_API bool peal_topology_list(int i, const char **name, const char **form, const char **summary);

/* The i-th routing of the topology of this name, its own first; NULL when there are no more. */
PEAL_API const char *peal_topology_routing(const char *name, int i);

/* How many nodes `spec` makes by itself: 9 for "mesh:3x3", for "file:PATH" one more than its highest node; 0 when it takes
 * as many as there are ("mesh"), or cannot be; INT_MAX when it makes as many or more. */
PEAL_API int peal_topology_nodes(const char *spec);

PEAL_END

#endif
