/* SPDX-License-Identifier: MIT */
/* Networks: a topology, its extents and a routing.  Immutable once created; any thread may read. */
#ifndef PEAL_NETWORK_H
#define PEAL_NETWORK_H

#include <peal/base.h>

PEAL_BEGIN

enum { PEAL_MAX_DIMENSIONS = 32 };

struct peal_network;

/* Create the network that `spec` ("full", "line:8", "mesh:3x3", "torus", "hypercube:3") names, for `nodes` nodes.
 * Extents that are left out are chosen, as square as possible.  `routing` NULL is the topology's own.  A placement,
 * as in "torus:4x4x4@2:cyclic", puts the nodes on a part of the network's hosts: see struct peal_placement.
 *
 *   owner    the caller destroys it
 *   errors   PEAL_USAGE for an unknown topology or routing (says which is nearest), for extents whose product is not
 *            `nodes` (says which fit), for a placement that is invalid or has too few hosts, for nodes < 1
 *            PEAL_RESOURCES without memory                                                                   */
PEAL_API struct peal_network *peal_network_create(const char *spec, int nodes, const char *routing,
                                                  struct peal_error *error);
PEAL_API void peal_network_destroy(struct peal_network *network);

/* The number of nodes: P. */
PEAL_API int peal_network_nodes(const struct peal_network *network);

/* The number of switches (fat tree, dragonfly), and of hosts that have no node: vertices that run no program.  On paths
 * they are P, P + 1, ... */
PEAL_API int peal_network_switches(const struct peal_network *network);

/* Nodes on hosts.  The spec has it as NETWORK@N:ORDER, with at most N nodes per host ("N:" is left out for 1): `block`,
 * N nodes on each of the first hosts; `cyclic`, in rounds over as many hosts; `random:SEED`, as block on hosts in
 * random order; `file:PATH`, lines of a node and its host; `map:H,H,..`, the host of each node.  Messages between nodes
 * of one host take 0 hops and no link; on paths the lowest node of a host stands for it. */
struct peal_placement {
    int hosts, per_host, used; /* used: hosts that have a node */
    bool shared;               /* some host has several */
    const char *order;         /* "block", "cyclic", "random", "file" */
    uint64_t seed;             /* of "random" */
    const int *host;           /* of each node */
};

/* The placement of a network's nodes, which lives as long as the network; NULL: node i is host i. */
PEAL_API const struct peal_placement *peal_network_placement(const struct peal_network *network);

/* Write what a message calls a vertex of a path: "3", "switch 0", or, where nodes are placed, "host 3"; returns
 * `text`. */
PEAL_API char *peal_network_vertex(const struct peal_network *network, int vertex, char text[32]);

/* The kind ("mesh"; "placed" where nodes are placed on other than all hosts in order), the full name ("mesh:3x3"), the
 * routing's name ("xy").  Live as long as the network. */
PEAL_API const char *peal_network_kind(const struct peal_network *network);
PEAL_API const char *peal_network_name(const struct peal_network *network);
PEAL_API const char *peal_network_routing(const struct peal_network *network);

/* The extents: up to PEAL_MAX_DIMENSIONS numbers, the first is the slowest in row-major order; returns how many.
 * A line, ring or full network has one extent of P; a hypercube has one of 2 for each dimension. */
PEAL_API int peal_network_extents(const struct peal_network *network, int extents[PEAL_MAX_DIMENSIONS]);

/* The number of hops of the route from one node to another; 0 to oneself. */
PEAL_API int peal_network_distance(const struct peal_network *network, int from, int to);

/* The nodes and switches on the route, both ends included, into path[0 .. distance]; returns the number of hops. */
PEAL_API int peal_network_path(const struct peal_network *network, int from, int to, int *path);

/* The wires are numbered from 0 below peal_network_wires, possibly with gaps; a wire is two links, one for each
 * direction.  Give the two vertices that wire i joins; false for an unused number.  A network "full" lists no wires,
 * since every ordered pair of nodes has its own link. */
PEAL_API uint64_t peal_network_wires(const struct peal_network *network);
PEAL_API bool peal_network_wire(const struct peal_network *network, uint64_t i, int *from, int *to);

/* The capacity of the link from one vertex to its neighbour, 1 on most networks.  A link of capacity c is c parallel
 * wires over which the messages of a round are spread evenly: where x messages share it, its k is ⌈x/c⌉. */
PEAL_API uint32_t peal_network_capacity(const struct peal_network *network, int from, int to);

/* The greatest distance from `source` to any node; the greatest distance of all; the number of directed links; the
 * number of directed links from one half of the ranks to the other at the narrowest cut (0 where not known). */
PEAL_API int peal_network_eccentricity(const struct peal_network *network, int source);
PEAL_API int peal_network_diameter(const struct peal_network *network);
PEAL_API uint64_t peal_network_links(const struct peal_network *network);
PEAL_API uint64_t peal_network_bisection(const struct peal_network *network);

/* The i-th topology, its form ("mesh:AxBx..") and one line about it; false after the last. */
PEAL_API bool peal_topology_list(int i, const char **name, const char **form, const char **summary);

/* The i-th routing of the topology of this name, its default first; NULL after the last. */
PEAL_API const char *peal_topology_routing(const char *name, int i);

/* The number of nodes that `spec` names: 9 for "mesh:3x3", 18 for "mesh:3x3@2:block", 8 for "dgx1", for "file:PATH"
 * one more than its highest node; 0 when it takes any number ("mesh") or is not valid; INT_MAX when it names this or
 * more. */
PEAL_API int peal_topology_nodes(const char *spec);

/* The placement in `spec`, from its "@" on; NULL: it has none. */
PEAL_API const char *peal_topology_placement(const char *spec);

PEAL_END

#endif
