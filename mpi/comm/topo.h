/* SPDX-License-Identifier: MIT */
/* Topologies of communicators: grids, graphs that every node knows entirely, graphs of which each node knows its
 * neighbours. */
#pragma once

#include "mpi/comm/comm.h"

struct cart {
    int dimensions;
    int *extents, *periods;
};

/* The neighbours of node i are edges[index[i - 1] .. index[i]). */
struct comm_graph {
    int nodes;
    int *index, *edges;
};

struct dist_graph {
    int in, out;
    int *sources, *destinations;
    int *in_weights, *out_weights; /* NULL: the graph has none */
};

struct comm_topology {
    int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
    union {
        struct cart cart;
        struct comm_graph graph;
        struct dist_graph dist;
    };
};

/* Copy a topology; free one. */
struct comm_topology *topology_copy(struct mpi *mpi, const struct comm_topology *topology);
void topology_free(struct mpi *mpi, struct comm_topology *topology);

/* Copy `count` integers, which may be NULL if there are none: in the node's memory. */
int *topology_ints(struct mpi *mpi, const int *from, int count);

/* The nodes that a neighbourhood collective receives from and sends to, in the order of the standard; MPI_PROC_NULL
 * where a grid ends.  On a grid, the message of a node's neighbour 2d to its neighbour 2d + 1 comes to the node's place
 * 2d, and the other way round. */
struct neighbours {
    int in, out;
    int *sources, *destinations;
};

/* Find the node's own neighbours, scratch that neighbours_fini frees: false if the communicator has no topology. */
bool neighbours_find(struct mpi *mpi, const struct comm *comm, struct neighbours *neighbours);
void neighbours_fini(struct mpi *mpi, struct neighbours *neighbours);

/* The coordinates of a rank, the first `most` of them; the rank at coordinates, which wrap where the dimension is
 * periodic: MPI_PROC_NULL outside of the grid. */
void cart_coordinates(const struct cart *cart, int rank, int *coordinates, int most);
int cart_rank_at(const struct cart *cart, const int *coordinates);

/* The ranks `disp` steps before and after `rank` in one direction of a grid. */
void cart_shift(struct mpi *mpi, const struct cart *cart, int rank, int direction, int disp, int *source, int *dest);
