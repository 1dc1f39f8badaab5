/* SPDX-License-Identifier: MIT */
/* Shared by all topologies; neighbours. */
#include "mpi/topo.h"
#include <string.h>

int *
topology_ints(struct mpi *mpi, const int *from, int count)
{
    size_t bytes = (size_t)count * sizeof *from;

    if (!from)
        return NULL;
    int *to = mpi_alloc(mpi, bytes);

    return count ? memcpy(to, from, bytes) : to;
}

struct comm_topology *
topology_copy(struct mpi *mpi, const struct comm_topology *topology)
{
    struct comm_topology *copy = mpi_alloc(mpi, sizeof *copy);

    *copy = *topology;
    if (copy->kind == MPI_CART) {
        copy->cart.extents = topology_ints(mpi, topology->cart.extents, copy->cart.dimensions);
        copy->cart.periods = topology_ints(mpi, topology->cart.periods, copy->cart.dimensions);
    } else if (copy->kind == MPI_GRAPH) {
        const struct comm_graph *graph = &topology->graph;

        copy->graph.index = topology_ints(mpi, graph->index, graph->nodes);
        copy->graph.edges = topology_ints(mpi, graph->edges, graph->nodes ? graph->index[graph->nodes - 1] : 0);
    } else {
        const struct dist_graph *dist = &topology->dist;

        copy->dist.sources = topology_ints(mpi, dist->sources, dist->in);
        copy->dist.in_weights = topology_ints(mpi, dist->in_weights, dist->in);
        copy->dist.destinations = topology_ints(mpi, dist->destinations, dist->out);
        copy->dist.out_weights = topology_ints(mpi, dist->out_weights, dist->out);
    }
    return copy;
}

void
topology_free(struct mpi *mpi, struct comm_topology *topology)
{
    if (!topology)
        return;
    if (topology->kind == MPI_CART) {
        mpi_free(mpi, topology->cart.extents);
        mpi_free(mpi, topology->cart.periods);
    } else if (topology->kind == MPI_GRAPH) {
        mpi_free(mpi, topology->graph.index);
        mpi_free(mpi, topology->graph.edges);
    } else {
        mpi_free(mpi, topology->dist.sources);
        mpi_free(mpi, topology->dist.in_weights);
        mpi_free(mpi, topology->dist.destinations);
        mpi_free(mpi, topology->dist.out_weights);
    }
    mpi_free(mpi, topology);
}

MPI_GETTER(Topo_test, (MPI_Comm comm, int *status), FIND_COMM(c, comm), status,
           c->topology ? c->topology->kind : MPI_UNDEFINED);

/* ------------------------------------------------------------------ grids */

void
cart_coordinates(const struct cart *cart, int rank, int *coordinates, int most)
{
    for (int i = cart->dimensions; i-- > 0; rank /= cart->extents[i])
        if (i < most)
            coordinates[i] = rank % cart->extents[i];
}

int
cart_rank_at(const struct cart *cart, const int *coordinates)
{
    int rank = 0;

    for (int i = 0; i < cart->dimensions; i++) {
        int extent = cart->extents[i], at = coordinates[i];

        if (cart->periods[i])
            at = (at % extent + extent) % extent;
        if (at < 0 || at >= extent)
            return MPI_PROC_NULL;
        rank = rank * extent + at;
    }
    return rank;
}

void
cart_shift(struct mpi *mpi, const struct cart *cart, int rank, int direction, int disp, int *source, int *dest)
{
    int *at = mpi_scratch(mpi, (size_t)cart->dimensions * sizeof *at);

    cart_coordinates(cart, rank, at, cart->dimensions);
    at[direction] += disp;
    *dest = cart_rank_at(cart, at);
    at[direction] -= 2 * disp;
    *source = cart_rank_at(cart, at);
    mpi_free(mpi, at);
}

/* ------------------------------------------------------------------ neighbours */

static int *
scratch_ints(struct mpi *mpi, const int *from, int count)
{
    size_t bytes = (size_t)count * sizeof *from;
    int *to = mpi_scratch(mpi, bytes);

    return count && from ? memcpy(to, from, bytes) : to;
}

bool
neighbours_find(struct mpi *mpi, const struct comm *comm, struct neighbours *found)
{
    const struct comm_topology *topology = comm->topology;

    *found = (struct neighbours){0};
    if (!topology)
        return false;
    if (topology->kind == MPI_DIST_GRAPH) {
        const struct dist_graph *dist = &topology->dist;

        *found = (struct neighbours){dist->in, dist->out, scratch_ints(mpi, dist->sources, dist->in),
                                     scratch_ints(mpi, dist->destinations, dist->out)};
        return true;
    }
    if (topology->kind == MPI_GRAPH) {
        const struct comm_graph *graph = &topology->graph;
        int first = comm->rank ? graph->index[comm->rank - 1] : 0, count = graph->index[comm->rank] - first;

        *found = (struct neighbours){count, count, scratch_ints(mpi, graph->edges + first, count),
                                     scratch_ints(mpi, graph->edges + first, count)};
        return true;
    }
    const struct cart *cart = &topology->cart;
    int count = 2 * cart->dimensions;

    *found = (struct neighbours){count, count, scratch_ints(mpi, NULL, count), scratch_ints(mpi, NULL, count)};
    for (int d = 0; d < cart->dimensions; d++)
        cart_shift(mpi, cart, comm->rank, d, 1, &found->sources[2 * d], &found->sources[2 * d + 1]);
    if (count)
        memcpy(found->destinations, found->sources, (size_t)count * sizeof(int));
    return true;
}

void
neighbours_fini(struct mpi *mpi, struct neighbours *neighbours)
{
    mpi_free(mpi, neighbours->sources);
    mpi_free(mpi, neighbours->destinations);
}
