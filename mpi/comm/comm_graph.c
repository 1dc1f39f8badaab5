/* SPDX-License-Identifier: MIT */
/* Graphs: from MPI_Graph_create every node knows all edges; from MPI_Dist_graph_create each node knows its own.  Ranks
 * are never reordered, and edges are not charged: they travel with the making of the communicator. */
#include "mpi/comm/topo.h"
#include "mpi/strict/happens_before.h"
#include <string.h>

/* Return from a call whose communicator has no topology of this kind. */
#define FIND_GRAPH(found, handle, what, text)                                                                          \
    FIND_COMM(found, handle);                                                                                          \
    if (!found->topology || found->topology->kind != (what))                                                           \
    return mpi_error(mpi, found, MPI_ERR_TOPOLOGY, #handle " has no " text)

/* ------------------------------------------------------------------ a graph that every node knows */

static int
check_graph(struct mpi *mpi, struct comm *comm, int nodes, const int *index, const int *edges)
{
    if (nodes < 0 || nodes > comm->size)
        return mpi_error(mpi, comm, MPI_ERR_ARG, "nnodes is %d: expected 0 to %d, the nodes of the communicator", nodes,
                         comm->size);
    if (nodes > 0 && !index)
        return mpi_error(mpi, comm, MPI_ERR_ARG, "index is NULL, with %d nodes", nodes);
    for (int i = 0; i < nodes; i++)
        if (index[i] < (i ? index[i - 1] : 0))
            return mpi_error(mpi, comm, MPI_ERR_ARG, "index[%d] is %d: expected %d or more", i, index[i],
                             i ? index[i - 1] : 0);
    int count = nodes ? index[nodes - 1] : 0;

    if (count > 0 && !edges)
        return mpi_error(mpi, comm, MPI_ERR_ARG, "edges is NULL, with %d edges", count);
    for (int i = 0; i < count; i++)
        if (edges[i] < 0 || edges[i] >= nodes)
            return mpi_error(mpi, comm, MPI_ERR_ARG, "edges[%d] is %d: expected a rank from 0 to %d", i, edges[i],
                             nodes - 1);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Graph_create, MPI_Comm old_comm, int nnodes, const int index[], const int edges[], int reorder,
             MPI_Comm *comm_graph)
{
    struct mpi *mpi = ENTER(Graph_create);
    FIND_INTRA(c, old_comm);

    (void)reorder;
    TRY(check_graph(mpi, c, nnodes, index, edges));
    NEED(comm_graph);
    struct comm *made = comm_of_first(mpi, c, nnodes, comm_graph);

    if (!made)
        return MPI_SUCCESS;
    made->topology = mpi_alloc(mpi, sizeof *made->topology);
    made->topology->kind = MPI_GRAPH;
    made->topology->graph =
        (struct comm_graph){nnodes, topology_ints(mpi, index, nnodes), topology_ints(mpi, edges, index[nnodes - 1])};
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Graphdims_get, MPI_Comm comm, int *nnodes, int *nedges)
{
    struct mpi *mpi = ENTER(Graphdims_get);
    FIND_GRAPH(c, comm, MPI_GRAPH, "graph topology");
    const struct comm_graph *graph = &c->topology->graph;

    NEED(nnodes, nedges);
    *nnodes = graph->nodes;
    *nedges = graph->index[graph->nodes - 1];
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Graph_get, MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
    struct mpi *mpi = ENTER(Graph_get);
    FIND_GRAPH(c, comm, MPI_GRAPH, "graph topology");
    const struct comm_graph *graph = &c->topology->graph;
    int count = graph->index[graph->nodes - 1];

    for (int i = 0; i < graph->nodes && i < maxindex; i++)
        index[i] = graph->index[i];
    for (int i = 0; i < count && i < maxedges; i++)
        edges[i] = graph->edges[i];
    return MPI_SUCCESS;
}

/* Find the neighbours of one rank: edges[*first .. *first + *count). */
static int
find_edges(struct mpi *mpi, struct comm *comm, int rank, int *first, int *count)
{
    const struct comm_graph *graph = &comm->topology->graph;

    if (rank < 0 || rank >= comm->size)
        return mpi_error(mpi, comm, MPI_ERR_RANK, "rank %d is out of range: ranks are 0 to %d", rank, comm->size - 1);
    *first = rank ? graph->index[rank - 1] : 0;
    *count = graph->index[rank] - *first;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Graph_neighbors_count, MPI_Comm comm, int rank, int *nneighbors)
{
    struct mpi *mpi = ENTER(Graph_neighbors_count);
    FIND_GRAPH(c, comm, MPI_GRAPH, "graph topology");
    int first;

    NEED(nneighbors);
    return find_edges(mpi, c, rank, &first, nneighbors);
}

MPI_FUNCTION(int, Graph_neighbors, MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    struct mpi *mpi = ENTER(Graph_neighbors);
    FIND_GRAPH(c, comm, MPI_GRAPH, "graph topology");
    int first = 0, count = 0, error = find_edges(mpi, c, rank, &first, &count);

    for (int i = 0; i < count && i < maxneighbors && !error; i++)
        neighbors[i] = c->topology->graph.edges[first + i];
    return error;
}

MPI_FUNCTION(int, Graph_map, MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)
{
    struct mpi *mpi = ENTER(Graph_map);
    FIND_INTRA(c, comm);
    int error = check_graph(mpi, c, nnodes, index, edges);

    NEED(newrank);
    if (!error)
        *newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
    return error;
}

/* ------------------------------------------------------------------ a graph that is known in parts */

static int
comm_graph_check_ranks(struct mpi *mpi, struct comm *comm, const char *name, const int *ranks, int count)
{
    if (count < 0)
        return mpi_error(mpi, comm, MPI_ERR_ARG, "the number of %s is %d: expected 0 or more", name, count);
    if (count > 0 && !ranks)
        return mpi_error(mpi, comm, MPI_ERR_ARG, "the list of %s is NULL, with %d of them", name, count);
    for (int i = 0; i < count; i++)
        if (ranks[i] < 0 || ranks[i] >= comm->size)
            return mpi_error(mpi, comm, MPI_ERR_RANK, "%s[%d] is %d: expected a rank from 0 to %d", name, i, ranks[i],
                             comm->size - 1);
    return MPI_SUCCESS;
}

static int
check_weights(struct mpi *mpi, struct comm *comm, const char *name, const int *weights, int count)
{
    if (count > 0 && (!weights || weights == MPI_WEIGHTS_EMPTY))
        return mpi_error(mpi, comm, MPI_ERR_ARG, "%s %s, with %d edges", name,
                         weights ? "is MPI_WEIGHTS_EMPTY" : "is NULL", count);
    for (int i = 0; i < count && weights != MPI_UNWEIGHTED; i++)
        if (weights[i] < 0)
            return mpi_error(mpi, comm, MPI_ERR_ARG, "%s[%d] is %d: expected 0 or more", name, i, weights[i]);
    return MPI_SUCCESS;
}

/* A communicator of the same nodes with this topology, which it owns from now on. */
static int
comm_graph_publish(struct mpi *mpi, struct comm *old, struct comm_topology *topology, MPI_Comm *handle)
{
    struct comm *made = comm_make(mpi, vclock_split(mpi, old, 0, 0), old);

    made->topology = topology;
    *handle = made->handle;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Dist_graph_create_adjacent, MPI_Comm old_comm, int indegree, const int sources[],
             const int *sourceweights, int outdegree, const int destinations[], const int *destweights, MPI_Info info,
             int reorder, MPI_Comm *comm_dist_graph)
{
    struct mpi *mpi = ENTER(Dist_graph_create_adjacent);
    FIND_INTRA(c, old_comm);
    bool weighted = sourceweights != MPI_UNWEIGHTED;

    (void)info, (void)reorder;
    TRY(comm_graph_check_ranks(mpi, c, "sources", sources, indegree));
    TRY(comm_graph_check_ranks(mpi, c, "destinations", destinations, outdegree));
    TRY(check_weights(mpi, c, "sourceweights", sourceweights, indegree));
    TRY(check_weights(mpi, c, "destweights", destweights, outdegree));
    if (weighted != (destweights != MPI_UNWEIGHTED))
        return mpi_error(mpi, c, MPI_ERR_ARG, "one of sourceweights and destweights is MPI_UNWEIGHTED and one is not");
    NEED(comm_dist_graph);
    struct comm_topology *topology = mpi_alloc(mpi, sizeof *topology);

    topology->kind = MPI_DIST_GRAPH;
    topology->dist = (struct dist_graph){.in = indegree,
                                         .out = outdegree,
                                         .sources = topology_ints(mpi, sources, indegree),
                                         .destinations = topology_ints(mpi, destinations, outdegree),
                                         .in_weights = weighted ? topology_ints(mpi, sourceweights, indegree) : NULL,
                                         .out_weights = weighted ? topology_ints(mpi, destweights, outdegree) : NULL};
    return comm_graph_publish(mpi, c, topology, comm_dist_graph);
}

struct graph_edge {
    int source, destination, weight;
};

/* The edges that each node brings. */
struct graph_offer {
    int edges, weighted; /* weighted: -1 unknown, since it brings none */
};

/* Bring all nodes' edges together: *count of them, in the order of the ranks that bring them; scratch. */
static struct graph_edge *
gather_edges(struct mpi *mpi, const struct comm *comm, const struct graph_edge *mine, const struct graph_offer *offer,
             int *weighted, size_t *count)
{
    size_t size = (size_t)comm->size, most = 0;
    struct graph_offer *offers = mpi_scratch(mpi, size * sizeof *offers);

    *count = 0;
    *weighted = -1;
    peal_meet_at(comm->view, &(struct peal_meeting){.mine = offer, .all = offers, .bytes = sizeof *offer}, mpi->file,
                 mpi->line);
    for (size_t i = 0; i < size; i++) {
        most = (size_t)offers[i].edges > most ? (size_t)offers[i].edges : most;
        if (offers[i].weighted >= 0)
            *weighted = *weighted >= 0 && *weighted != offers[i].weighted ? 2 : offers[i].weighted;
    }
    struct graph_edge *brought = mpi_alloc(mpi, (most + 1) * sizeof *brought),
                      *all = mpi_scratch(mpi, (size * most + 1) * sizeof *all);

    if (offer->edges)
        memcpy(brought, mine, (size_t)offer->edges * sizeof *mine);
    peal_meet_at(comm->view, &(struct peal_meeting){.mine = brought, .all = all, .bytes = most * sizeof *all},
                 mpi->file, mpi->line);
    for (size_t i = 0; i < size; i++)
        for (size_t e = 0; e < (size_t)offers[i].edges; e++)
            all[(*count)++] = all[i * most + e];
    mpi_free(mpi, brought);
    mpi_free(mpi, offers);
    return all;
}

/* Keep the edges of one node. */
static struct comm_topology *
choose_edges(struct mpi *mpi, const struct graph_edge *edges, size_t count, int rank, bool weighted)
{
    struct comm_topology *topology = mpi_alloc(mpi, sizeof *topology);
    struct dist_graph *dist = &topology->dist;

    topology->kind = MPI_DIST_GRAPH;
    for (size_t i = 0; i < count; i++) {
        dist->in += edges[i].destination == rank;
        dist->out += edges[i].source == rank;
    }
    dist->sources = mpi_alloc(mpi, (size_t)dist->in * sizeof(int));
    dist->destinations = mpi_alloc(mpi, (size_t)dist->out * sizeof(int));
    dist->in_weights = weighted ? mpi_alloc(mpi, (size_t)dist->in * sizeof(int)) : NULL;
    dist->out_weights = weighted ? mpi_alloc(mpi, (size_t)dist->out * sizeof(int)) : NULL;
    dist->in = dist->out = 0;
    for (size_t i = 0; i < count; i++) {
        if (edges[i].destination == rank) {
            if (weighted)
                dist->in_weights[dist->in] = edges[i].weight;
            dist->sources[dist->in++] = edges[i].source;
        }
        if (edges[i].source == rank) {
            if (weighted)
                dist->out_weights[dist->out] = edges[i].weight;
            dist->destinations[dist->out++] = edges[i].destination;
        }
    }
    return topology;
}

MPI_FUNCTION(int, Dist_graph_create, MPI_Comm old_comm, int n, const int sources[], const int degrees[],
             const int destinations[], const int *weights, MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
{
    struct mpi *mpi = ENTER(Dist_graph_create);
    FIND_INTRA(c, old_comm);
    int total = 0;

    (void)info, (void)reorder;
    TRY(comm_graph_check_ranks(mpi, c, "sources", sources, n));
    NEED(comm_dist_graph);
    if (n > 0 && !degrees)
        return mpi_error(mpi, c, MPI_ERR_ARG, "degrees is NULL, with %d sources", n);
    for (int i = 0; i < n; i++)
        if (degrees[i] < 0 || __builtin_add_overflow(total, degrees[i], &total))
            return mpi_error(mpi, c, MPI_ERR_ARG, "degrees[%d] is %d: expected 0 or more, and a sum of at most %d", i,
                             degrees[i], INT32_MAX);
    TRY(comm_graph_check_ranks(mpi, c, "destinations", destinations, total));
    TRY(check_weights(mpi, c, "weights", weights, total));
    bool own_weights = weights != MPI_UNWEIGHTED;
    struct graph_offer offer = {total, total == 0 ? -1 : own_weights};
    struct graph_edge *mine = mpi_scratch(mpi, ((size_t)total + 1) * sizeof *mine);
    size_t count = 0;
    int weighted;

    for (int i = 0, e = 0; i < n; i++)
        for (int j = 0; j < degrees[i]; j++, e++)
            mine[e] = (struct graph_edge){sources[i], destinations[e], own_weights ? weights[e] : 0};
    struct graph_edge *all = gather_edges(mpi, c, mine, &offer, &weighted, &count);

    mpi_free(mpi, mine);
    if (weighted == 2) {
        mpi_free(mpi, all);
        return mpi_error(mpi, c, MPI_ERR_ARG, "weights is MPI_UNWEIGHTED on some nodes and not on others");
    }
    /* Where no node has an edge, this node decides whether there are weights. */
    struct comm_topology *topology = choose_edges(mpi, all, count, c->rank, weighted < 0 ? own_weights : weighted);

    mpi_free(mpi, all);
    return comm_graph_publish(mpi, c, topology, comm_dist_graph);
}

MPI_FUNCTION(int, Dist_graph_neighbors_count, MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
    struct mpi *mpi = ENTER(Dist_graph_neighbors_count);
    FIND_GRAPH(c, comm, MPI_DIST_GRAPH, "distributed graph topology");
    const struct dist_graph *dist = &c->topology->dist;

    NEED(indegree, outdegree, weighted);
    *indegree = dist->in;
    *outdegree = dist->out;
    *weighted = dist->in_weights != NULL;
    return MPI_SUCCESS;
}

/* Give the first `most` of the neighbours and, if they exist and are wanted, their weights. */
static void
comm_graph_give(const int *ranks, const int *own_weights, int count, int most, int *to, int *weights)
{
    for (int i = 0; i < count && i < most; i++) {
        to[i] = ranks[i];
        if (own_weights && weights && weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY)
            weights[i] = own_weights[i];
    }
}

MPI_FUNCTION(int, Dist_graph_neighbors, MPI_Comm comm, int maxindegree, int sources[], int *sourceweights,
             int maxoutdegree, int destinations[], int *destweights)
{
    struct mpi *mpi = ENTER(Dist_graph_neighbors);
    FIND_GRAPH(c, comm, MPI_DIST_GRAPH, "distributed graph topology");
    const struct dist_graph *dist = &c->topology->dist;

    if (maxindegree < 0 || maxoutdegree < 0)
        return mpi_error(mpi, c, MPI_ERR_ARG, "maxindegree is %d and maxoutdegree %d: expected 0 or more", maxindegree,
                         maxoutdegree);
    comm_graph_give(dist->sources, dist->in_weights, dist->in, maxindegree, sources, sourceweights);
    comm_graph_give(dist->destinations, dist->out_weights, dist->out, maxoutdegree, destinations, destweights);
    return MPI_SUCCESS;
}
