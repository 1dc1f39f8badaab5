/* SPDX-License-Identifier: MIT */
/* Builds the table of next hops of a network given by its wires, by a search from every destination. */
#include "lib/network/graph.h"
#include "lib/base/grow.h"
#include <stdio.h>
#include <stdlib.h>

/* The steps from node u are step[first[u]] .. step[first[u + 1]], in the order of their vertices. */
struct graph_network {
    int wires;
    int (*wire)[2];     /* the nodes, in the order in which the wires were added */
    uint32_t *capacity; /* of each wire */
    uint16_t *known;    /* of every pair, 0: no wire; while wires are added */
    int *first;
    struct step *step;
    uint16_t *next;     /* [to · P + from]: which step of `from` is the first to `to` */
    uint16_t *distance; /* [to · P + from], best only */
};

static enum peal_status
refuse_memory(struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a network");
}

/* ------------------------------------------------------------------ the wires */

enum peal_status
graph_create(struct peal_network *network, struct peal_error *error)
{
    size_t nodes = (size_t)network->nodes;
    struct graph_network *graph = calloc(1, sizeof *graph);

    network->dimensions = 1;
    network->extent[0] = network->nodes;
    network->own = graph;
    if (!graph || !(graph->known = calloc(nodes * nodes, sizeof *graph->known)))
        return refuse_memory(error);
    return PEAL_OK;
}

enum peal_status
graph_add(struct peal_network *network, int a, int b, uint32_t capacity, uint32_t *before, struct peal_error *error)
{
    struct graph_network *graph = network->own;
    size_t low = (size_t)(a < b ? a : b), high = (size_t)(a < b ? b : a), pair = low * (size_t)network->nodes + high;

    *before = graph->known[pair];
    if (*before)
        return PEAL_OK;
    if (!grow_by_one(&graph->wire, (size_t)graph->wires, sizeof *graph->wire) ||
        !grow_by_one(&graph->capacity, (size_t)graph->wires, sizeof *graph->capacity))
        return refuse_memory(error);
    graph->known[pair] = (uint16_t)capacity;
    graph->wire[graph->wires][0] = a;
    graph->wire[graph->wires][1] = b;
    graph->capacity[graph->wires++] = capacity;
    return PEAL_OK;
}

int
graph_wires(const struct peal_network *network)
{
    const struct graph_network *graph = network->own;

    return graph->wires;
}

/* ------------------------------------------------------------------ the steps, and the next hops */

static int
compare_steps(const void *a, const void *b)
{
    return ((const struct step *)a)->vertex - ((const struct step *)b)->vertex;
}

static bool
list_steps(struct graph_network *graph, int nodes)
{
    graph->first = calloc((size_t)nodes + 2, sizeof *graph->first);
    graph->step = malloc(((size_t)graph->wires * 2 + 1) * sizeof *graph->step);
    if (!graph->first || !graph->step)
        return false;
    int *end = graph->first + 1; /* end[u], when all are placed; before that, the place of u's next step */

    for (int i = 0; i < graph->wires; i++)
        for (int side = 0; side < 2; side++)
            end[graph->wire[i][side] + 1]++;
    for (int u = 0; u < nodes; u++)
        end[u + 1] += end[u];
    for (int i = 0; i < graph->wires; i++)
        for (int side = 0; side < 2; side++)
            graph->step[end[graph->wire[i][side]]++] =
                (struct step){graph->wire[i][!side], 2 * (uint32_t)i + (uint32_t)side};
    for (int u = 0; u < nodes; u++)
        qsort(graph->step + graph->first[u], (size_t)(graph->first[u + 1] - graph->first[u]), sizeof *graph->step,
              compare_steps);
    return true;
}

/* Fill the table for one destination: a search from it gives distances, the first step downhill is the next hop.
 * Returns the largest distance; *apart is a node that cannot be reached, or -1. */
static int
graph_search_from(struct graph_network *graph, int nodes, int to, int *distance, int *queue, int *apart)
{
    int head = 0, tail = 0;

    for (int u = 0; u < nodes; u++)
        distance[u] = -1;
    distance[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        int u = queue[head++];

        for (int i = graph->first[u]; i < graph->first[u + 1]; i++) {
            int v = graph->step[i].vertex;

            if (distance[v] < 0) {
                distance[v] = distance[u] + 1;
                queue[tail++] = v;
            }
        }
    }
    *apart = -1;
    for (int u = nodes - 1; u >= 0; u--) {
        int i = graph->first[u];

        if (distance[u] < 0)
            *apart = u;
        if (distance[u] > 0) {
            while (distance[graph->step[i].vertex] != distance[u] - 1)
                i++;
            graph->next[(size_t)to * (size_t)nodes + (size_t)u] = (uint16_t)(i - graph->first[u]);
        }
        if (graph->distance)
            graph->distance[(size_t)to * (size_t)nodes + (size_t)u] = (uint16_t)distance[u];
    }
    return distance[queue[tail - 1]];
}

static bool
find_ways(struct peal_network *network, struct graph_network *graph, int *apart)
{
    int nodes = network->nodes;
    int *distance = malloc(2 * (size_t)nodes * sizeof *distance);

    *apart = -1;
    graph->next = malloc((size_t)nodes * (size_t)nodes * sizeof *graph->next);
    if (network->best)
        graph->distance = malloc((size_t)nodes * (size_t)nodes * sizeof *graph->distance);
    if (!distance || !graph->next || (network->best && !graph->distance)) {
        free(distance);
        return false;
    }
    for (int to = 0; to < nodes && *apart < 0; to++) {
        int farthest = graph_search_from(graph, nodes, to, distance, distance + nodes, apart);

        network->diameter = farthest > network->diameter ? farthest : network->diameter;
    }
    free(distance);
    return true;
}

enum peal_status
graph_finish(struct peal_network *network, int *apart, struct peal_error *error)
{
    struct graph_network *graph = network->own;

    free(graph->known);
    graph->known = NULL;
    if (!list_steps(graph, network->nodes) || !find_ways(network, graph, apart))
        return refuse_memory(error);
    network->links = 2 * (uint64_t)graph->wires;
    for (int i = 0; i < graph->wires; i++)
        if (graph->capacity[i] > 1)
            network->capacity = graph->capacity;
    return PEAL_OK;
}

void
graph_destroy(struct peal_network *network)
{
    struct graph_network *graph = network->own;

    if (!graph)
        return;
    free(graph->wire);
    free(graph->capacity);
    free(graph->known);
    free(graph->first);
    free(graph->step);
    free(graph->next);
    free(graph->distance);
    free(graph);
}

/* ------------------------------------------------------------------ routes */

static inline const struct step *
next_step(const struct peal_network *network, int from, int to)
{
    const struct graph_network *graph = network->own;

    return &graph->step[graph->first[from] + graph->next[(size_t)to * (size_t)network->nodes + (size_t)from]];
}

int
graph_distance(const struct peal_network *network, int from, int to)
{
    int hops = 0;

    for (; from != to; hops++)
        from = next_step(network, from, to)->vertex;
    return hops;
}

int
graph_route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    int hops = 0;

    while (from != to) {
        const struct step *step = next_step(network, from, to);

        links[hops++] = step->link;
        from = step->vertex;
    }
    return hops;
}

static bool
graph_neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    const struct graph_network *graph = network->own;

    if (i == graph->first[vertex + 1] - graph->first[vertex])
        return false;
    *step = graph->step[graph->first[vertex] + i];
    return true;
}

static int
known_distance(const struct peal_network *network, int from, int to)
{
    const struct graph_network *graph = network->own;

    return graph->distance[(size_t)to * (size_t)network->nodes + (size_t)from];
}

const struct route_graph graph_route_graph = {graph_neighbour, known_distance};

void
graph_end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    *first = next_step(network, from, to)->link;
    while (from != to) {
        const struct step *step = next_step(network, from, to);

        *last = step->link;
        from = step->vertex;
    }
}

void
graph_ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    const struct graph_network *graph = network->own;

    *from = graph->wire[link / 2][link % 2];
    *to = graph->wire[link / 2][1 - link % 2];
}

int
graph_eccentricity(const struct peal_network *network, int source)
{
    int most = 0;

    for (int node = 0; node < network->nodes; node++) {
        int hops = graph_distance(network, source, node);

        most = hops > most ? hops : most;
    }
    return most;
}

uint32_t
graph_capacity(const struct peal_network *network, int from, int to)
{
    const struct graph_network *graph = network->own;
    const struct step sought = {to, 0};
    const struct step *step =
        bsearch(&sought, graph->step + graph->first[from], (size_t)(graph->first[from + 1] - graph->first[from]),
                sizeof *step, compare_steps);

    return step ? graph->capacity[step->link / 2] : 0;
}

/* ------------------------------------------------------------------ fixed networks */

enum peal_status
graph_of_matrix(struct peal_network *network, const char *extents, int nodes, const uint8_t *matrix,
                struct peal_error *error)
{
    const char *name = network->topology->name;
    enum peal_status status;
    uint32_t before;
    int apart;

    if (extents)
        return peal_refuse(error, PEAL_USAGE, "%s takes no numbers: it has %d nodes", name, nodes);
    if (network->nodes != nodes)
        return peal_refuse(error, PEAL_USAGE, "%s has %d nodes, the machine has %d", name, nodes, network->nodes);
    snprintf(network->name, sizeof network->name, "%s", name);
    status = graph_create(network, error);
    for (int a = 0; a < nodes; a++)
        for (int b = a + 1; b < nodes; b++, matrix++)
            if (*matrix && status == PEAL_OK)
                status = graph_add(network, a, b, *matrix, &before, error);
    return status == PEAL_OK ? graph_finish(network, &apart, error) : status;
}
