/* SPDX-License-Identifier: MIT */
/* Shared by all topologies; neighbours. */
#include "mpi/comm/topo.h"
#include <string.h>

int *
topology_ints(struct mpi *mpi, const int *from, int count)
{
    size_t bytes = (size_t)count * sizeof *from;
    int *to = mpi_scratch(mpi, bytes);

    return count && from ? memcpy(to, from, bytes) : to;
}

/* The lists of a topology, and how long they are; *lists[i] may be NULL. */
static void
lists_of(struct comm_topology *topology, int **lists[4], int counts[4])
{
    struct comm_graph *graph = &topology->graph;
    struct dist_graph *dist = &topology->dist;

    memset(lists, 0, 4 * sizeof *lists);
    if (topology->kind == MPI_CART) {
        lists[0] = &topology->cart.extents;
        lists[1] = &topology->cart.periods;
        counts[0] = counts[1] = topology->cart.dimensions;
    } else if (topology->kind == MPI_GRAPH) {
        lists[0] = &graph->index;
        lists[1] = &graph->edges;
        counts[0] = graph->nodes;
        counts[1] = graph->nodes ? graph->index[graph->nodes - 1] : 0;
    } else {
        memcpy(lists, (int **[]){&dist->sources, &dist->in_weights, &dist->destinations, &dist->out_weights},
               4 * sizeof *lists);
        counts[0] = counts[1] = dist->in;
        counts[2] = counts[3] = dist->out;
    }
}

struct comm_topology *
topology_copy(struct mpi *mpi, const struct comm_topology *topology)
{
    struct comm_topology *copy = memcpy(mpi_alloc(mpi, sizeof *copy), topology, sizeof *copy);
    int **lists[4], counts[4];

    lists_of(copy, lists, counts);
    for (int i = 0; i < 4 && lists[i]; i++)
        *lists[i] = *lists[i] ? topology_ints(mpi, *lists[i], counts[i]) : NULL;
    return copy;
}

void
topology_free(struct mpi *mpi, struct comm_topology *topology)
{
    int **lists[4], counts[4];

    if (!topology)
        return;
    lists_of(topology, lists, counts);
    for (int i = 0; i < 4 && lists[i]; i++)
        mpi_free(mpi, *lists[i]);
    mpi_free(mpi, topology);
}

MPI_FUNCTION(int, Topo_test, MPI_Comm comm, int *status)
{
    struct mpi *mpi = ENTER(Topo_test);
    FIND_COMM(c, comm);
    NEED(status);
    *status = c->topology ? c->topology->kind : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

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

bool
neighbours_find(struct mpi *mpi, const struct comm *comm, struct neighbours *found)
{
    const struct comm_topology *topology = comm->topology;

    *found = (struct neighbours){0};
    if (!topology)
        return false;
    if (topology->kind == MPI_DIST_GRAPH) {
        const struct dist_graph *dist = &topology->dist;

        *found = (struct neighbours){dist->in, dist->out, topology_ints(mpi, dist->sources, dist->in),
                                     topology_ints(mpi, dist->destinations, dist->out)};
        return true;
    }
    if (topology->kind == MPI_GRAPH) {
        const struct comm_graph *graph = &topology->graph;
        int first = comm->rank ? graph->index[comm->rank - 1] : 0, count = graph->index[comm->rank] - first;

        *found = (struct neighbours){count, count, topology_ints(mpi, graph->edges + first, count),
                                     topology_ints(mpi, graph->edges + first, count)};
        return true;
    }
    const struct cart *cart = &topology->cart;
    int count = 2 * cart->dimensions;

    *found = (struct neighbours){count, count, topology_ints(mpi, NULL, count), topology_ints(mpi, NULL, count)};
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
